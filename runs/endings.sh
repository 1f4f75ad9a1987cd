#!/bin/sh
# Known endings without tablebases: won ones that the engine must mate, drawn ones that it must not take for won.
#
#   runs/endings.sh [--tables DIR] [--positions 100] [--nodes 20000] [--draw-nodes 100000] [--seed 1] [--threads N]
#                   [ENDING...]
#
# --tables is a directory of Syzygy tables with 3 and 4 pieces; without it only the endings of the tables in the
# repository are measured. The exit code is 1 if any position fails.
set -eu

exec cargo run --manifest-path "$(dirname "$0")/../Cargo.toml" --release --locked --quiet -p xtask \
  --no-default-features --example endings -- "$@"
