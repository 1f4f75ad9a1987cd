#!/bin/sh
# Known endings without tablebases: won ones that the engine must mate, drawn ones that it must not take for won.
# docs/src/strength.md has the results.
#
#   runs/endings.sh [--tables DIR] [--positions 100] [--nodes 20000] [--draw-nodes 100000] [ENDING...]
#
# --tables is a directory of Syzygy tables with 3 and 4 pieces; without it only the endings of the tables in the
# repository are measured. The exit code is 1 if any position fails.
set -eu

cd "$(dirname "$0")/.."
exec cargo run --release --locked --quiet -p xtask --no-default-features --example endings -- "$@"
