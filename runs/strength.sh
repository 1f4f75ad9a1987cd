#!/bin/sh
# How strong the engine is: a gauntlet against engines that Debian packages. docs/src/strength.md has
# the results and names the commands.
#
#   runs/strength.sh [ENGINE] [more arguments for tabiya match]
#
# ENGINE is the engine to be measured, target/release/tabiya unless given. The rest is set by the
# environment:
#   GAMES=200          games against each opponent (even)
#   TC=8+0.08          time control; or LIMIT='--nodes 20000' in its place
#   CONCURRENCY=N      games at a time, one for each core unless given; leave the machine alone meanwhile
#   OPPONENTS='…'      some of: gnuchess stockfish toga2 glaurung sjaakii ethereal; all unless given
#   OUT=strength       folder for games, state and table; an interrupted run resumes
#
# All engines have one thread, 16 MB of hash and no book; openings are our own random ones, each
# played with both colors. The exit code is 1 if any engine failed, and some of these do: their
# faults are named below the table, and are lost games for them. So it is no error here.
set -eu

ENGINE=${1:-target/release/tabiya}
[ $# -eq 0 ] || shift
# A path is meant from where the caller stands.
[ ! -x "$ENGINE" ] || ENGINE=$(realpath "$ENGINE")
cd "$(dirname "$0")/.."
GAMES=${GAMES:-200}
LIMIT=${LIMIT:---tc ${TC:-8+0.08}}
CONCURRENCY=${CONCURRENCY:-$(getconf _NPROCESSORS_ONLN)}
OPPONENTS=${OPPONENTS:-gnuchess stockfish toga2 glaurung sjaakii ethereal}
OUT=${OUT:-strength}

RUNNER=target/release/tabiya
[ -x "$RUNNER" ] || cargo build --release -p tabiya
[ -x "$ENGINE" ] || { echo "there is no engine $ENGINE" >&2; exit 2; }

# Debian puts them where only players look.
PATH=$PATH:/usr/games
packages=''
missing() { command -v "$1" >/dev/null || packages="$packages $2"; }
for opponent in $OPPONENTS; do
  case $opponent in
    gnuchess) missing gnuchess gnuchess; set -- "$@" 'gnuchess --uci; name=GNU Chess 6' ;;
    stockfish) missing stockfish stockfish; set -- "$@" 'stockfish; Skill Level=8; name=Stockfish, Skill Level 8' ;;
    toga2) missing toga2 toga2; set -- "$@" 'toga2; name=Toga II' ;;
    glaurung) missing glaurung glaurung; set -- "$@" 'glaurung; name=Glaurung 2' ;;
    sjaakii) missing sjaakii sjaakii; set -- "$@" 'sjaakii; name=Sjaak II' ;;
    ethereal) missing ethereal-chess ethereal-chess; set -- "$@" 'ethereal-chess; name=Ethereal' ;;
    *) echo "an opponent we do not know: $opponent" >&2; exit 2 ;;
  esac
done
if [ -n "$packages" ]; then
  echo "missing: apt-get install$packages" >&2
  exit 2
fi

mkdir -p "$OUT"
code=0
# LIMIT is words on purpose.
# shellcheck disable=SC2086
"$RUNNER" match "'$ENGINE'; name=Tabiya" "$@" --gauntlet --games "$GAMES" $LIMIT \
  --concurrency "$CONCURRENCY" --option Hash=16 --option Threads=1 --option OwnBook=false \
  --pgn "$OUT/games.pgn" --state "$OUT/state.jsonl" --event "Tabiya strength" \
  >"$OUT/table.txt" || code=$?
cat "$OUT/table.txt"
# A table means that the match was played; without one, something was wrong with the call.
[ -s "$OUT/table.txt" ] || exit "$code"
