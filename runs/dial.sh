#!/bin/sh
# The strength dial of the human-like player: games of several levels against one fixed opponent.
#
#   runs/dial.sh [MODEL]
#
# MODEL is the directory of a model, the embedded one unless given. Limits are per move, so that the result does not
# depend on the load of the machine. The rest is set by the environment:
#   LEVELS='1100 …'    ratings to imitate
#   GAMES=200          games of each level (even)
#   OPPONENT='…'       an engine, as in `tabiya match`; Stockfish 15.1 with UCI_Elo 1350 unless given
#   CONCURRENCY=N      games at a time, one for each core unless given
#   OUT=dial           folder for games and state; an interrupted run resumes
set -eu

MODEL=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
LEVELS=${LEVELS:-1100 1400 1700 2000 2300 2600}
GAMES=${GAMES:-200}
# Stockfish 15.1 takes a move of this UCI_Elo from its first iteration.
OPPONENT=${OPPONENT:-stockfish; UCI_LimitStrength=true; UCI_Elo=1350; depth=1; name=Stockfish 1350}
CONCURRENCY=${CONCURRENCY:-$(getconf _NPROCESSORS_ONLN)}
OUT=${OUT:-dial}
TABIYA=${TABIYA:-target/release/tabiya}
[ -x "$TABIYA" ] || cargo build --release -p tabiya

# Debian puts it where only players look.
PATH=$PATH:/usr/games
set --
for level in $LEVELS; do
  set -- "$@" "'$TABIYA' pra uci ${MODEL:+--model '$MODEL'}; Elo=$level; nodes=1; name=$level"
done
mkdir -p "$OUT"
exec "$TABIYA" match "$OPPONENT" "$@" --gauntlet --games "$GAMES" --nodes 1 --concurrency "$CONCURRENCY" \
  --max-moves 200 --state "$OUT/dial.state" --pgn "$OUT/dial.pgn"
