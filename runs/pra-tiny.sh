#!/bin/sh
# The whole way of runs/pra.sh in ten minutes: a smaller model, fewer steps. It foresees about three of
# ten moves of people, and beats whoever plays at random.
#
#   runs/pra-tiny.sh GAMES.pgn.zst
set -eu

OUT=${OUT:-pra-tiny} DEPTH=2 WIDTH=48 STEPS=${STEPS:-800} \
  exec "$(dirname "$0")/pra.sh" "$@"
