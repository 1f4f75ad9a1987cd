#!/bin/sh
# Builds the archives of a release for Linux on x86-64, and tests them in an empty directory.
#
#   runs/dist.sh [OUT]
#
# OUT is target/dist unless given. The program is built for plain x86-64, -v3 and -v4: the first, which runs
# everywhere, starts the best of the others for the CPU (crates/app/src/launch.rs, crates/simd/src/levels.rs).
# There are two builds for -v3, one with pext and one with magic bitboards: pext is slow on AMD before Zen 3.
set -eu

cd "$(dirname "$0")/.."
OUT=${1:-target/dist}
CARGO=${CARGO:-cargo}
TARGET=x86_64-unknown-linux-gnu
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
NAME=tabiya-$VERSION-linux-x86-64
rm -rf "$OUT"
mkdir -p "$OUT/$NAME/levels" "$OUT/$NAME/man" "$OUT/$NAME/completions"
OUT=$(realpath "$OUT")

# With --target, flags are for the program and not for what runs while it is compiled.
build() {
  level=$1
  shift
  RUSTFLAGS="-C target-cpu=$level" "$CARGO" build --release --locked --target "$TARGET" \
    --target-dir "target/dist-$level" "$@"
}

folder=$OUT/$NAME
build x86-64 -p tabiya -p tabiya-probe
cp "target/dist-x86-64/$TARGET/release/tabiya" "$folder/tabiya"
TABIYA_SLIDERS=magic build x86-64-v3 -p tabiya
cp "target/dist-x86-64-v3/$TARGET/release/tabiya" "$folder/levels/tabiya-x86-64-v3"
TABIYA_SLIDERS=pext build x86-64-v3 -p tabiya
cp "target/dist-x86-64-v3/$TARGET/release/tabiya" "$folder/levels/tabiya-x86-64-v3-pext"
TABIYA_SLIDERS=pext build x86-64-v4 -p tabiya
cp "target/dist-x86-64-v4/$TARGET/release/tabiya" "$folder/levels/tabiya-x86-64-v4"

# The newest version of a symbol that the program takes from the C library.
glibc() { objdump -T "$@" | grep -o 'GLIBC_[0-9.]*' | sort -u -V | tail -1 | cut -d _ -f 2; }
GLIBC=$(glibc "$folder/tabiya" "$folder"/levels/*)
sed "s/@VERSION@/$VERSION/; s/@GLIBC@/${GLIBC:?}/" runs/dist-README.md > "$folder/README.md"
cp CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder"
python3 runs/licenses.py > "$folder/LICENSES-DEPENDENCIES.txt"
"$folder/tabiya" man --dir "$folder/man"
for shell in bash zsh fish; do
  "$folder/tabiya" completions "$shell" > "$folder/completions/tabiya.$shell"
done

library=tabiya-nnueprobe-$VERSION-linux-x86-64
mkdir "$OUT/$library"
cp "target/dist-x86-64/$TARGET/release/libnnueprobe.so" crates/probe/include/nnue.h \
  LICENSE-MIT LICENSE-APACHE "$folder/LICENSES-DEPENDENCIES.txt" "$OUT/$library"

(
  cd "$OUT"
  for archive in "$NAME" "$library"; do
    tar --owner=0 --group=0 --sort=name -czf "$archive.tar.gz" "$archive"
  done
  sha256sum ./*.tar.gz > SHA256SUMS
)

# As a user would: unpacked somewhere else, without the repository.
EMPTY=$(mktemp -d)
trap 'rm -rf "$EMPTY"' EXIT
cd "$EMPTY"
cp "$OUT"/*.tar.gz "$OUT/SHA256SUMS" .
sha256sum --check --quiet SHA256SUMS
tar -xzf "$NAME.tar.gz"
tar -xzf "$library.tar.gz"
tabiya=$EMPTY/$NAME/tabiya
"$tabiya" version --verbose
[ "$("$tabiya" perft 4 | grep -c 197281)" = 1 ] || { echo "perft 4 is not 197281"; exit 1; }
expected=
for cpu in $("$tabiya" version --verbose | sed -n 's/^detected //p'); do
  nodes=$(TABIYA_CPU=$cpu "$tabiya" bench 8 | sed -n 's/^\([0-9][0-9]*\) nodes.*/\1/p')
  build=$(TABIYA_CPU=$cpu "$tabiya" version --verbose | sed -n 's/^build *//p')
  echo "$cpu ($build): bench 8 has $nodes nodes"
  expected=${expected:-$nodes}
  [ -n "$nodes" ] && [ "$nodes" = "$expected" ] || { echo "$cpu differs"; exit 1; }
done
# Each build by itself, if the CPU has what it needs: they differ in how they find moves, not in the moves.
for build in "$NAME"/levels/*; do
  sliders=$("$build" version --verbose 2> /dev/null | sed -n 's/^sliders *//p')
  case $(basename "$build"):$sliders in
    tabiya-x86-64-v3:magic | tabiya-x86-64-v3-pext:pext | tabiya-x86-64-v4:pext) ;;
    *:) echo "$build does not run on this CPU"; continue ;;
    *) echo "$build finds the moves of sliding pieces by $sliders"; exit 1 ;;
  esac
  nodes=$("$build" bench 8 | sed -n 's/^\([0-9][0-9]*\) nodes.*/\1/p')
  echo "$build ($sliders): bench 8 has $nodes nodes"
  [ "$nodes" = "$expected" ] || { echo "$build differs"; exit 1; }
done
printf 'position startpos\ngo depth 6\n' | "$tabiya" | grep -q '^bestmove' || { echo "no UCI engine"; exit 1; }
if command -v cc > /dev/null; then
  printf '#include "nnue.h"\nint main(void) { return nnue_evaluate_fen == 0; }\n' > probe.c
  cc -I"$library" probe.c -L"$library" -lnnueprobe -Wl,-rpath,"$PWD/$library" -o probe
  ./probe
fi
if command -v qemu-x86_64 > /dev/null; then
  echo "a CPU of 2008, emulated:"
  qemu-x86_64 -cpu Nehalem "$tabiya" version --verbose
  qemu-x86_64 -cpu Nehalem "$tabiya" perft 3
  qemu-x86_64 -cpu Nehalem "$tabiya" bench 3 | tail -1
fi
ls -l "$OUT"
