#!/bin/sh
# The packaged crates, used as from the registry: a project outside of the workspace that depends on them, and
# `cargo install` of the program. Everything happens in a temporary directory.
#
#   runs/outside.sh
#
# The project evaluates positions with the embedded network and searches the positions of a bench, with the
# kernels of every instruction set that the CPU has. Its release profile is cargo's own: no LTO, no target-cpu.
set -eu

cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
make --no-print-directory package
OUTSIDE=$(mktemp -d)
trap 'rm -rf "$OUTSIDE"' EXIT
mkdir -p "$OUTSIDE/crates" "$OUTSIDE/project/src" "$OUTSIDE/.cargo"
# What the registry would have: cargo finds the crates there by this file.
echo '[patch.crates-io]' > "$OUTSIDE/.cargo/config.toml"
for package in target/package/tabiya*-"$VERSION".crate; do
  name=$(basename "$package" ".crate")
  tar -xzf "$package" -C "$OUTSIDE/crates"
  echo "${name%-"$VERSION"} = { path = \"$OUTSIDE/crates/$name\" }" >> "$OUTSIDE/.cargo/config.toml"
done
export CARGO_TARGET_DIR="$OUTSIDE/target"
cd "$OUTSIDE/project"

cat > Cargo.toml <<END
[package]
name = "outside"
version = "0.0.0"
edition = "2024"

[dependencies]
tabiya-chess = "$VERSION"
tabiya-engine = "$VERSION"
END
cat > src/main.rs <<'END'
use std::time::Instant;

use tabiya_chess::Position;
use tabiya_engine::search::Control;
use tabiya_engine::{bench, eval::Evaluator, eval::file};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut evaluator = Evaluator::new(file::embedded());
    let positions: Vec<Position> =
        bench::POSITIONS.iter().map(|fen| fen.parse()).collect::<Result<_, _>>()?;
    let begun = Instant::now();
    let (mut count, mut sum) = (0_u64, 0_i64);
    while begun.elapsed().as_secs_f64() < 1.0 {
        for position in &positions {
            evaluator.reset(position);
            sum += i64::from(evaluator.evaluate(position));
            for m in position.legal_moves() {
                let next = evaluator.make_move(position, m);
                sum += i64::from(evaluator.evaluate(&next));
                evaluator.unmake_move();
                count += 1;
            }
        }
    }
    let rate = count as f64 / begun.elapsed().as_secs_f64() / 1e6;
    let found = bench::run(10, 1, file::embedded(), &Control::new(false), |_, _, _| {})?;
    println!("{rate:.2} million moves and evaluations a second, bench {} nodes, {} nps (sum {})",
        found.nodes, found.nodes_per_second(), sum % 1000);
    Ok(())
}
END
"$CARGO" build --quiet --release
for cpu in scalar avx2 avx512 avx512vnni; do
  TABIYA_CPU=$cpu "$CARGO_TARGET_DIR/release/outside" 2> /dev/null | sed "s/^/$cpu: /" || true
done
"$CARGO_TARGET_DIR/release/outside" | sed 's/^/chosen at run time: /'

# The profile of the workspace is not part of a package: cargo's own again.
"$CARGO" install --quiet --path "$OUTSIDE/crates/tabiya-$VERSION" --root "$OUTSIDE/installed"
cd "$OUTSIDE"
echo "installed: $(installed/bin/tabiya version)"
installed/bin/tabiya bench | tail -1
