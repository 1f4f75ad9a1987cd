#!/bin/sh
# The whole way of runs/pra.sh with a smaller model and fewer steps, meant to take about ten minutes on
# two cores (it has not been timed as a whole).
#
#   runs/pra-tiny.sh GAMES.pgn.zst
set -eu

OUT=${OUT:-pra-tiny} DEPTH=2 WIDTH=48 STEPS=${STEPS:-800} \
  exec "$(dirname "$0")/pra.sh" "$@"
