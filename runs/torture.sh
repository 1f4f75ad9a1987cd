#!/bin/sh
# Games in which the engine must not lose on time, play an illegal move or crash: against itself, at
# time controls that leave no room, in Chess960, with two threads, and beside programs that want the
# CPU for themselves. docs/src/strength.md has the results.
#
#   runs/torture.sh [ENGINE]
#
# ENGINE is target/release/tabiya unless given. The rest is set by the environment:
#   GAMES=200          games of each kind; five times as many of the first
#   CONCURRENCY=N      games at a time, two for each core unless given
#   OUT=torture        folder for games, states and tables; an interrupted run resumes
#
# The exit code is 1 if anything happened that must not.
set -eu

ENGINE=${1:-target/release/tabiya}
[ ! -x "$ENGINE" ] || ENGINE=$(realpath "$ENGINE")
cd "$(dirname "$0")/.."
GAMES=${GAMES:-200}
CORES=$(getconf _NPROCESSORS_ONLN)
CONCURRENCY=${CONCURRENCY:-$((2 * CORES))}
OUT=${OUT:-torture}

RUNNER=target/release/tabiya
[ -x "$RUNNER" ] || cargo build --release -p tabiya
[ -x "$ENGINE" ] || { echo "there is no engine $ENGINE" >&2; exit 2; }
mkdir -p "$OUT"
code=0

# play NAME GAMES CONCURRENCY more arguments of tabiya match
play() {
  name=$1 games=$2 at_a_time=$3
  shift 3
  echo "== $name: $*"
  "$RUNNER" match "'$ENGINE'; name=one" "'$ENGINE'; name=two" --games "$games" --concurrency "$at_a_time" \
    --max-moves 200 --option Hash=16 --pgn "$OUT/$name.pgn" --state "$OUT/$name.jsonl" "$@" \
    >"$OUT/$name.txt" || code=1
  cat "$OUT/$name.txt"
}

play bullet $((5 * GAMES)) "$CONCURRENCY" --tc 1+0.01
play chess960 "$GAMES" "$CONCURRENCY" --tc 1+0.01 --chess960
play threads "$GAMES" "$CORES" --tc 1+0.01 --option Threads=2
play forty "$GAMES" "$CONCURRENCY" --tc 40/5
play flash "$GAMES" "$CORES" --tc 0.1+0.01

hogs=''
trap 'kill $hogs 2>/dev/null || true' EXIT
for _ in 1 2 3 4; do
  while :; do :; done &
  hogs="$hogs $!"
done
play hogs "$GAMES" "$CONCURRENCY" --tc 1+0.01

exit "$code"
