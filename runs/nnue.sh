#!/bin/sh
# From games to the network in the engine: how crates/engine/networks/tabiya.nnue was made.
# docs/src/reference/network.md has the results, with times.
#
#   runs/nnue.sh GAMES.pgn.zst TEACHER.nnue [OUT]
#
# GAMES are games of people (any PGN file; ours were 373,167 over-the-board games), TEACHER is a HalfKP
# network of Stockfish (ours was nn-62ef826d1a6d.nnue, Stockfish 13's, CC0). Every step
# resumes: start the script again after an interrupt. It needs 5 GB of disk.
# POSITIONS, HIDDEN and THREADS may be set; fewer positions make a first network in two minutes.
set -eu

[ $# -ge 2 ] || { sed -n '2,/^set /p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 2; }
GAMES=$1 TEACHER=$2 OUT=${3:-network}
POSITIONS=${POSITIONS:-180000000}
HIDDEN=${HIDDEN:-512}
THREADS=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
TABIYA=${TABIYA:-$(dirname "$0")/../target/release/tabiya}
[ -x "$TABIYA" ] || { echo "build first: cargo build --release" >&2; exit 2; }
mkdir -p "$OUT"

# 1. Every position of the games once, but openings and checks; 1 % of the games are kept for validation.
"$TABIYA" data prepare "$GAMES" --format packed --dedup --skip-plies 6 --no-checks \
  --val-fraction 0.01 --threads "$THREADS" --out "$OUT/games" ||
  [ -e "$OUT/games/_SUCCESS" ] # broken games are reported and skipped

# 2. The teacher's evaluation of each, and of two positions one or two random moves away: a search meets
#    many positions that no game has.
"$TABIYA" nnue rescore "$OUT/games" --net "$TEACHER" --vary 2 --threads "$THREADS" --out "$OUT/scored"

# 3. Training. λ = 0.9: weight of the teacher's score.
"$TABIYA" nnue train --data "$OUT/scored" --hidden "$HIDDEN" --positions "$POSITIONS" \
  --lambda 0.9 --scale 220 --lr 0.0012 --threads "$THREADS" --out "$OUT/training"

# 4. How far quantisation and teacher are away.
"$TABIYA" nnue test "$OUT/training/network.nnue" --against "$TEACHER" --data "$OUT/scored"

# 5. What it is worth: against the evaluation written by hand.
"$TABIYA" match "self; EvalFile=$OUT/training/network.nnue; name=network" "self; EvalFile=classic; name=classic" \
  --tc 1+0.01 --games 100 --concurrency "$THREADS" --option Hash=16
echo "$OUT/training/network.nnue"
