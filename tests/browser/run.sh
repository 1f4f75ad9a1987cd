#!/bin/sh
# Tests the page in Chromium, and installs what that needs: packages of npm here, node and Chromium as root.
#
#   tests/browser/run.sh PROGRAM [NAME...]
#
# Without Chromium, node or the right to install them the tests are skipped, as the last line reports.
set -eu

TABIYA=$(realpath "$1")
export TABIYA
shift
cd "$(dirname "$0")"

# The command, or else the package that has it.
need() {
  command -v "$1" > /dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" || true
  fi
  command -v "$1" > /dev/null && return
  echo "Browser: SKIPPED, the page was NOT tested: no $1 here; as root, 'apt-get install $2' brings it"
  exit 0
}

need node nodejs
need npm npm
[ -n "${CHROMIUM:-}" ] || command -v google-chrome > /dev/null || need chromium chromium
if [ ! -e node_modules/.installed ] || [ package-lock.json -nt node_modules/.installed ]; then
  npm ci --no-audit --no-fund
  touch node_modules/.installed
fi
exec node run.mjs "$@"
