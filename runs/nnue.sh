#!/bin/sh
# From games to the network in the engine: how crates/engine/networks/tabiya.nnue was made.
# docs/src/reference/network.md has the results, with times.
#
#   runs/nnue.sh GAMES.pgn.zst TEACHER.nnue [OUT]
#
# GAMES are games of people (any PGN file; ours were 373,167 over-the-board games), TEACHER is a network of
# Stockfish 16 (HalfKAv2_hm; ours was nn-5af11540bbfe.nnue, CC0). Every step resumes: start the script again
# after an interrupt. It needs 12 GB of disk.
# MORE may name further files of games (ours were games between engines, in chess and Chess960).
# POSITIONS, CHESS960 (positions of self-play), HIDDEN, HEAD, KING_BUCKETS, VARY and THREADS may be set; fewer positions
# make a first network in two minutes. HEAD is --dense, or empty for a linear head. A teacher with other centipawns needs SCORE_SCALE (220 for HalfKP networks).
set -eu

[ $# -ge 2 ] || { sed -n '2,/^set /p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 2; }
GAMES=$1 TEACHER=$2 OUT=${3:-network}
MORE=${MORE:-}
POSITIONS=${POSITIONS:-1400000000}
CHESS960=${CHESS960:-6000000}
HIDDEN=${HIDDEN:-768}
HEAD=${HEAD---dense}
VARY=${VARY:-11}
KING_BUCKETS=${KING_BUCKETS:-4}
SCORE_SCALE=${SCORE_SCALE:-139}
THREADS=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
TABIYA=${TABIYA:-$(dirname "$0")/../target/release/tabiya}
[ -x "$TABIYA" ] || { echo "build first: cargo build --release" >&2; exit 2; }
mkdir -p "$OUT"

# 1. Every position of the games once, but openings and checks; 1 % of the games are kept for validation.
#    MORE is words on purpose.
# shellcheck disable=SC2086
"$TABIYA" data prepare "$GAMES" $MORE --format packed --dedup --skip-plies 6 --no-checks \
  --val-fraction 0.01 --threads "$THREADS" --out "$OUT/games" ||
  [ -e "$OUT/games/_SUCCESS" ] # broken games are reported and skipped

# 2. Short games from all starting positions of Chess960, whose positions no collection has.
"$TABIYA" selfplay --chess960 --net embedded --nodes 60 --positions "$CHESS960" --random-plies 4..10 \
  --balance 400 --seed 55 --threads "$THREADS" --out "$OUT/chess960"

# 3. The teacher's evaluation of each, and of others one or two random moves away: a search meets many
#    positions that no game has.
"$TABIYA" nnue rescore "$OUT/games" --net "$TEACHER" --vary "$VARY" --seed 77 --threads "$THREADS" \
  --out "$OUT/scored"
"$TABIYA" nnue rescore "$OUT/chess960" --net "$TEACHER" --vary 6 --seed 78 --threads "$THREADS" \
  --out "$OUT/scored960"

# 4. Training. λ = 0.9: weight of the teacher's score; the game's result has the rest.
#    HEAD is a word or none on purpose.
# shellcheck disable=SC2086
"$TABIYA" nnue train --data "$OUT/scored" "$OUT/scored960" --hidden "$HIDDEN" $HEAD --king-buckets "$KING_BUCKETS" \
  --positions "$POSITIONS" --superbatch $((POSITIONS / 40 + 1)) --lambda 0.9 --scale 220 --score-scale "$SCORE_SCALE" \
  --lr 0.0012 --final-lr 0.000002 --threads "$THREADS" --out "$OUT/training"

# 5. How far the quantized network is from its checkpoint, and from the teacher.
"$TABIYA" nnue test "$OUT/training/network.nnue" --against "$TEACHER" --data "$OUT/scored"

# 6. What it is worth: against the classical evaluation.
"$TABIYA" match "self; EvalFile=$OUT/training/network.nnue; name=network" "self; EvalFile=classic; name=classic" \
  --tc 1+0.01 --games 100 --concurrency "$THREADS" --option Hash=16
echo "$OUT/training/network.nnue"
