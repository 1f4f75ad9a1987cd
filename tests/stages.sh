#!/bin/sh
# Runs the stages of `make test` beside each other, so that two cores always have something to do.
#
#   MAKE=make BESIDE="STAGE..." tests/stages.sh LOGS [STAGE...]
#
# A stage is a target of the Makefile. The output of each goes to a file in LOGS, which is printed if the
# stage fails. What calls cargo comes one after the other, tests first and STAGE... last, because cargo locks
# the target directory while it compiles. BESIDE has stages that use what was built for the tests: they run
# beside the compilers. A file that a stage leaves in the work tree is a failure, too.
set -u

LOGS=$1
shift
rm -rf "$LOGS"
mkdir -p "$LOGS"
begin=$(date +%s)
PRIORITY=
untracked() { git ls-files --others --exclude-standard 2> /dev/null; }
untracked > "$LOGS/untracked"

stage() {
  log=$LOGS/$1.log
  start=$(date +%s)
  # shellcheck disable=SC2086
  if $PRIORITY "$MAKE" --no-print-directory "$1" > "$log" 2>&1; then
    echo "passed  $1 ($(($(date +%s) - start)) s)"
  else
    echo "FAILED  $1, after $(($(date +%s) - start)) s:"
    cat "$log"
    echo "(the end of $1)"
    echo "$1" >> "$LOGS/failed"
    return 1
  fi
}

finish() {
  wait
  if ! untracked | diff "$LOGS/untracked" -; then
    echo "FAILED  clean-tree: new files that git does not ignore, above"
    echo clean-tree >> "$LOGS/failed"
  fi
  grep -h -E '^(Rust|Python|Browser): ' "$LOGS"/*.log
  seconds=$(($(date +%s) - begin))
  minutes="$((seconds / 60)).$((seconds % 60 / 6)) minutes"
  if [ -e "$LOGS/failed" ]; then
    echo "failed: $(paste -s -d ' ' "$LOGS/failed"); $minutes"
    exit 1
  fi
  echo "all checks passed in $minutes; logs in $LOGS"
  exit 0
}

stage format || finish
stage environment &
environment=$!
stage package &
stage test-build || finish

wait "$environment"
for name in rust-test comparisons ${BESIDE:-}; do
  stage "$name" &
done
# cargo looks at what it has built before it runs the tests: what compiles next must not take the lock before.
until [ -e "$LOGS/failed" ] || grep -qs '^ *Running ' "$LOGS/rust-test.log"; do sleep 1; done
# The Rust tests take longest: these have the CPU that they leave.
PRIORITY='nice -n 10'
for name in lint api-check "$@"; do
  stage "$name"
done
finish
