#!/bin/sh
# The whole way of runs/pra.sh with a smaller model and fewer steps: under three minutes on two cores of
# a quiet AMD Zen 4 machine, at most ten elsewhere. It comes to 38.5 % of moves.
#
#   runs/pra-tiny.sh GAMES.pgn.zst
set -eu

OUT=${OUT:-pra-tiny} DEPTH=2 WIDTH=48 STEPS=${STEPS:-800} \
  exec "$(dirname "$0")/pra.sh" "$@"
