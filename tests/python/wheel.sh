#!/bin/sh
# Checks the wheel in FOLDER: its metadata, its use of Python's stable ABI, and that it works in an empty environment of
# every Python from 3.9 on that is found (those of pyenv, and those on the path).
#
#   PYVENV=.venv-python tests/python/wheel.sh FOLDER
set -eu

wheel=$(ls "$1"/tabiya-*.whl)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $wheel in
  *-cp39-abi3-*) echo "$(basename "$wheel"), $(($(wc -c < "$wheel") / 1048576)) MB" ;;
  *) echo "$wheel is not for the stable ABI of Python 3.9"; exit 1 ;;
esac

for tool in twine abi3audit; do
  "$PYVENV/bin/python" -m pip install --quiet --disable-pip-version-check "$tool" ||
    echo "$tool does not install: not checked"
done
[ ! -x "$PYVENV/bin/twine" ] || "$PYVENV/bin/twine" check --strict "$wheel"
[ ! -x "$PYVENV/bin/abi3audit" ] || "$PYVENV/bin/abi3audit" --strict "$wheel"

# The quick start of the README.
sed -n '/^```python$/,/^```$/p' "$root/python/README.md" | sed '/^```/d' > "$work/quick_start.py"

tried=""
for python in "$HOME"/.pyenv/versions/3.*/bin/python3 $(command -v python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 python3 || true); do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
  case $version in
    3.[0-8]) continue ;;
  esac
  case " $tried " in
    *" $version "*) continue ;;
  esac
  tried="$tried $version"
  "$python" -m venv "$work/$version"
  "$work/$version/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
  (
    cd "$work"
    "$work/$version/bin/python" quick_start.py > "$work/$version.txt"
    grep -q 'Ra8#' "$work/$version.txt"
    "$work/$version/bin/tabiya" --version
    "$work/$version/bin/python" -m tabiya perft 4 | grep -q '197,\{0,1\}281'
    printf 'go depth 5\nquit\n' | "$work/$version/bin/tabiya" | grep -q '^bestmove '
  )
  echo "Python $version: installed, the quick start and the program run"
  rm -rf "${work:?}/$version"
done
[ -n "$tried" ] || { echo "no Python from 3.9 on"; exit 1; }
