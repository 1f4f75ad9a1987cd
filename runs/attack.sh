#!/bin/sh
# Attacks on the program at length: foreign-looking PGN, damaged files of every format, absurd calls, kills
# at random moments, outputs that are inputs, hostile shapes of PGN at growing sizes, tablebase wins on the
# edge of the 50-move rule. The seed makes it repeatable.
#
#   runs/attack.sh [PROGRAM]
#
# PROGRAM is target/release/tabiya unless given. The rest is set by the environment:
#   SEED=1            another seed is another set of attacks
#   FILES=500         PGN files
#   COUNT=1000        damaged files of each format
#   MOMENTS=20        kills, and interruptions, of each command
#   POSITIONS=180     tablebase positions, at five values of MultiPV
#   TABLES=FOLDER     Syzygy tables, those of the tests unless given
#   PYTHON=python3    with the packages of tests/attack/requirements.txt ('make attack' installs them)
#
# The exit code is 1 if anything was found.
set -u

PROGRAM=${1:-target/release/tabiya}
[ -x "$PROGRAM" ] || { echo "there is no program $PROGRAM: 'cargo build --release' makes it" >&2; exit 2; }
PROGRAM=$(realpath "$PROGRAM")
cd "$(dirname "$0")/.." || exit 2
PYTHON=${PYTHON:-python3}
SEED=${SEED:-1}
TABLES=${TABLES:-$(pwd)/crates/engine/tests/data/syzygy}
code=0

attack() {
  name=$1
  shift
  "$PYTHON" "tests/attack/$name.py" "$PROGRAM" --seed "$SEED" "$@" || code=1
}

attack syzygy --positions "${POSITIONS:-180}" --tables "$TABLES"
attack pgn --files "${FILES:-500}"
attack linear
attack calls
attack damage --count "${COUNT:-1000}"
attack kill --moments "${MOMENTS:-20}"
[ "$code" = 0 ] && echo "no attack succeeded"
exit "$code"
