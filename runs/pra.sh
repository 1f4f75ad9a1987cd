#!/bin/sh
# From games to a transformer like the one that is part of the program: data, training, measurement, a match with
# a random mover. docs/src/reference/pra.md has the lineage and the figures of the model that we ship.
#
#   runs/pra.sh GAMES.pgn.zst
#
# Times are those of two cores without other work. The rest is set by the environment:
#   OUT=pra            folder for everything; an interrupted run resumes
#   DEPTH=4 WIDTH=96   layers, and embedding dimension
#   STEPS=4500 BATCH=512   steps of training, and positions in each: 2.3 million positions
#   RATE=0.1           Muon's learning rate, before the scaling by the size of the batch
#   THREADS=N          as many as there are cores unless given
#   MATCH=100          games against a random mover
#   TABIYA=PROGRAM     target/release/tabiya unless given
set -eu

[ $# -eq 1 ] || { echo "usage: runs/pra.sh GAMES.pgn.zst" >&2; exit 2; }
[ -f "$1" ] || { echo "there is no file $1" >&2; exit 2; }
GAMES=$(realpath "$1")
TABIYA=${TABIYA:+$(realpath "$TABIYA")}
cd "$(dirname "$0")/.."
OUT=${OUT:-pra}
DEPTH=${DEPTH:-4}
WIDTH=${WIDTH:-96}
STEPS=${STEPS:-4500}
BATCH=${BATCH:-512}
RATE=${RATE:-0.1}
THREADS=${THREADS:-$(getconf _NPROCESSORS_ONLN)}

MATCH=${MATCH:-100}
TABIYA=${TABIYA:-target/release/tabiya}
[ -x "$TABIYA" ] || cargo build --release -p tabiya
mkdir -p "$OUT"

# 1. Games to rows: one in a hundred games is put aside (18 s for 31 million positions, 0.8 GB).
"$TABIYA" data prepare "$GAMES" --val-fraction 0.01 --shuffle --out "$OUT/data" \
  --columns best_move,eval,mate,result,ply,white_elo,black_elo,game,board,history --with-eval ||
  [ -e "$OUT/data/_SUCCESS" ] # broken games are reported, and read up to their error

# 2. Rows to a model (a quarter of an hour at 2,600 positions a second).
"$TABIYA" pra train --data "$OUT/data" --out "$OUT/run" --depth "$DEPTH" --n-embd "$WIDTH" \
  --num-iterations "$STEPS" --total-batch-size "$BATCH" --learning-rate "$RATE" \
  --embedding-lr 0.15 --free-lr 0.02 --value-weight 0.2 \
  --eval-every 250 --save-every 100 --threads "$THREADS"

# 3. What it is worth: on 2,000 games that it has never seen, and against somebody who plays anything.
"$TABIYA" pra export --model "$OUT/run/model" --out "$OUT/model" --f16
"$TABIYA" pra eval --model "$OUT/model" --data "$OUT/data" --max-games 2000 --threads "$THREADS" |
  tee "$OUT/eval.txt"
"$TABIYA" pra attention --model "$OUT/model" --all --html "$OUT/heads.html"
"$TABIYA" match "'$TABIYA' --pra $OUT/model; Avoid Draws=true; name=model" "'$TABIYA' pra uci --random; name=random" \
  --nodes 1 --games "$MATCH" --pgn "$OUT/random.pgn" | tee "$OUT/random.txt"
