#!/bin/sh
# What each step of the search is worth: the engine against itself without the step.
#
#   runs/steps.sh [STEP...]
#
# It needs a build that has the search parameters as UCI options:
#
#   cargo build --release --features tune
#
# Every match has a fixed number of nodes a move, so that it does not depend on the load of the machine. GAMES,
# NODES, THREADS, OPENINGS (a file of openings) and OUT may be set; finished matches in OUT are not repeated.
# Prints a line for each step: Elo of the engine with it, points, games.
set -eu

GAMES=${GAMES:-400}
NODES=${NODES:-10000}
THREADS=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
OUT=${OUT:-steps}
TABIYA=${TABIYA:-$(dirname "$0")/../target/release/tabiya}
[ -x "$TABIYA" ] || { echo "build first: cargo build --release --features tune" >&2; exit 2; }
"$TABIYA" tune "'$TABIYA'" --list | grep -q razor || { echo "$TABIYA was built without --features tune" >&2; exit 2; }
mkdir -p "$OUT"

# The step, and the options that switch it off.
without() {
  case $1 in
    aspiration) echo "aspiration_depth=99" ;;
    razoring) echo "razor_max_depth=-1" ;;
    reverse-futility) echo "reverse_futility_max_depth=-1" ;;
    null-move) echo "null_min_depth=99" ;;
    probcut) echo "probcut_min_depth=99" ;;
    small-probcut) echo "small_probcut=30000" ;;
    iir) echo "iir_min_depth=99" ;;
    hindsight) echo "hindsight_margin=30000" ;;
    late-moves) echo "late_moves_max_depth=-1" ;;
    futility) echo "futility_max_depth=-1" ;;
    history-pruning) echo "history_pruning_max_depth=-1" ;;
    capture-futility) echo "capture_futility_max_depth=-1" ;;
    see-pruning) echo "see_pruning_max_depth=-1" ;;
    singular) echo "singular_min_depth=99" ;;
    reductions) echo "reduction_min_depth=99" ;;
    delta-pruning) echo "quiescence_futility=30000" ;;
    # Cutoffs teach nothing; changes of the static evaluation still do.
    histories) echo "bonus_max=0" ;;
    correction) echo "correction_unit=1000000" ;;
    *) echo "$1: no such step" >&2; return 2 ;;
  esac
}

[ $# -gt 0 ] || set -- aspiration razoring reverse-futility null-move probcut small-probcut iir hindsight \
  late-moves futility history-pruning capture-futility see-pruning singular reductions delta-pruning histories correction
for step; do
  options=$(without "$step")
  # Exit code 1: an engine lost a game by a fault, which the report names.
  code=0
  "$TABIYA" match "'$TABIYA'; name=full" "'$TABIYA'; $options; name=without $step" --nodes "$NODES" --games "$GAMES" \
    --concurrency "$THREADS" ${OPENINGS:+--openings "$OPENINGS"} --option Hash=16 --resign score=400,moves=3 \
    --draw score=15,moves=6,from=30 --state "$OUT/$step.state" --json >"$OUT/$step.json" || code=$?
  [ "$code" -le 1 ] || exit "$code"
  python3 - "$step" "$OUT/$step.json" <<'PYTHON'
import json, sys
pairing = json.load(open(sys.argv[2]))["pairings"][0]
elo, error = (pairing[name] for name in ("elo", "elo_error"))
elo = "all points" if elo is None else f"{elo:+.0f} ± {error or 0:.0f} Elo"
print(f"{sys.argv[1]}: {elo}, {pairing['points']:g} of {pairing['games']}", flush=True)
PYTHON
done
