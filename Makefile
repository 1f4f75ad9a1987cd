# Two audiences. Engine testers (OpenBench): `make EXE=name` builds the engine to that name, and
# EVALFILE=file embeds another network than crates/engine/networks has. Developers: `make test` runs
# every check, installing what the tests need into .venv. `make help` lists the rest.

# OpenBench passes the compiler of an engine as CC. Exported, it would be the C compiler of zstd and blake3.
ifeq ($(notdir $(CC)),cargo)
unexport CC
endif

EXE ?= tabiya
CARGO ?= cargo
PYTHON ?= python3
TARGET_DIR = $(or $(CARGO_TARGET_DIR),target)
VENV = .venv
POSITIONS ?= 5000
SETUPS ?= 5000
NOTATIONS ?= 2000
DATA_GAMES ?= 120
RUNS ?= 10000000

PROGRAM = $(TARGET_DIR)/release/tabiya
# What `cargo test` has built already, optimized a little and with all checks: the comparisons use it too.
TESTED = $(TARGET_DIR)/debug/tabiya
NOTATION = $(TARGET_DIR)/debug/examples/notation_lines
# Networks, tables and games that are too large for the repository.
SHARED ?= ../shared/data
REQUIREMENTS = tests/differential/requirements.txt
INSTALLED = $(VENV)/.installed
PYVENV = .venv-python
PYTHON_INSTALLED = $(PYVENV)/.installed

.DEFAULT_GOAL := engine
.PHONY: engine native peers dist help test format lint test-build rust-test doc api api-check package deny test-shared test-slow program environment differential comparisons attack bench-check nnue-bench pra-check pra-bench test-gpu test-arm book fuzz wheel test-wheel python-tests test-python test-python-full python-bench test-browser measure-page screenshots load clean

engine: ## build the engine and copy it to EXE (default: tabiya)
	$(if $(EVALFILE),EVALFILE="$(abspath $(EVALFILE))") $(CARGO) build --release --locked -p tabiya
	cp $(PROGRAM) $(EXE)

# On AMD before Zen 3 (family 25), and on Hygon, pext is there but slow: magic bitboards are faster.
CPUINFO = /proc/cpuinfo
SLOW_PEXT = $(shell awk -F ': *' '/^vendor_id/ { vendor = $$2 } /^cpu family/ { \
  if (vendor ~ /AuthenticAMD|HygonGenuine/ && $$2 < 25) print "slow"; exit }' $(CPUINFO) 2>/dev/null)
NATIVE = RUSTFLAGS="-C target-cpu=native" $(if $(SLOW_PEXT),TABIYA_SLIDERS=$(or $(TABIYA_SLIDERS),magic))

native: ## build for this machine alone, with every instruction it has, and copy it to EXE
	$(NATIVE) $(if $(EVALFILE),EVALFILE="$(abspath $(EVALFILE))") \
	  $(CARGO) build --release --locked -p tabiya --target-dir $(TARGET_DIR)/native
	cp $(TARGET_DIR)/native/release/tabiya $(EXE)

peers: ## measure beside other libraries, all built for this machine: ARGS=perft, sliders, fen, san, "pgn FILE", "data FILE"
	$(CARGO) clippy --locked -p peers -- -D warnings
	$(NATIVE) $(CARGO) run --release --locked -p peers --target-dir $(TARGET_DIR)/native \
	  $(if $(SLOW_PEXT),,$(if $(shell grep -o -m 1 bmi2 $(CPUINFO) 2>/dev/null),--features pext)) -- $(ARGS)

dist: ## build and test the archives of a release, in target/dist
	CARGO="$(CARGO)" runs/dist.sh $(TARGET_DIR)/dist

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

# Further stages of `make test` that use what was built for the tests (TESTED), and call no cargo.
BESIDE = python-tests test-browser

test: ## run all checks: format, lints, Rust tests, comparison with python-chess, the Python package, the page in Chromium
	@MAKE="$(MAKE)" BESIDE="$(BESIDE)" tests/stages.sh $(TARGET_DIR)/logs $(if $(wildcard $(SHARED)),test-shared)
	$(if $(wildcard $(SHARED)),,@echo "no $(SHARED): its tests were not run")

format: ## check the format of the code
	$(CARGO) fmt --all --check

# Lints need no fuzzer: with a path to one, its C++ is not compiled. `peers` is checked by `make peers`: the
# libraries it compares with take as long to compile as a third of our own.
CLIPPY = CUSTOM_LIBFUZZER_PATH=/none/libfuzzer.a $(CARGO) clippy --locked

lint: format ## check format and lints
	$(CLIPPY) --workspace --exclude peers --all-targets -- -D warnings
	$(CLIPPY) -p tabiya-chess -p tabiya-paco --no-default-features -- -D warnings
	$(CLIPPY) -p tabiya-engine --features tune -- -D warnings
	$(CLIPPY) -p tabiya-pra --no-default-features -- -D warnings
	@tree=$$($(CARGO) tree --locked -p tabiya-pra --no-default-features -e normal --prefix none) || exit 1; \
	if echo "$$tree" | grep -E '^(arrow|parquet)'; then \
	  echo "tabiya-pra without default features depends on Arrow"; exit 1; fi

# The same members for all calls: others would choose other features of what they share, and compile it again.
TESTS = $(CARGO) test --locked --workspace --exclude peers --exclude tabiya-fuzz

test-build: ## compile the Rust tests, and the extension module of the Python package
	$(TESTS) --no-run

# The counts of all test programs and doctests are added up at the end. Only tee stands between cargo and
# the reader: it passes on at once what it reads, while grep and awk would hold back lines for minutes.
rust-test: ## run the Rust tests and doctests
	@log=$$(mktemp); trap 'rm -f "$$log" "$$log.exit"' EXIT; \
	{ $(TESTS) --no-fail-fast 2>&1; echo $$? > "$$log.exit"; } | tee "$$log"; \
	awk '/^test result:/ { passed += $$4; failed += $$6; ignored += $$8 } \
	  END { printf "Rust: %d tests passed, %d failed, %d ignored\n", passed, failed, ignored }' "$$log"; \
	[ "$$(cat "$$log.exit")" = 0 ]

# Without `peers` and without a fuzzer, for the reasons given at `lint`.
doc: ## build the documentation of the program and the libraries; a warning is an error
	rm -rf $(TARGET_DIR)/doc
	RUSTDOCFLAGS="-D warnings" CUSTOM_LIBFUZZER_PATH=/none/libfuzzer.a \
	  $(CARGO) doc --workspace --no-deps --locked --exclude peers

# The public interface of the libraries that others build on, as text: changes show in the diff of a commit.
API_CRATES = tabiya-chess tabiya-paco tabiya-nnue tabiya-engine tabiya-uci tabiya-data tabiya-pra tabiya-simd \
  tabiya-arena tabiya-learn tabiya-train

api: doc ## write the snapshots of the public interfaces
	$(PYTHON) tests/api/public_api.py $(TARGET_DIR)/doc $(API_CRATES) --update

api-check: doc ## compare the public interfaces with their snapshots
	$(PYTHON) tests/api/public_api.py $(TARGET_DIR)/doc $(API_CRATES)

# Archives as for the registry, without compiling them again.
UNPUBLISHED = peers tabiya-fuzz tabiya-python tabiya-test-support xtask

package: ## package every published crate, into target/package
	$(CARGO) package --quiet --workspace $(UNPUBLISHED:%=--exclude %) --locked --no-verify --allow-dirty

# The advisory database is not part of it: it changes by the day, and needs the network.
deny: ## check licences, banned crates and sources of all dependencies (needs cargo-deny)
	$(CARGO) deny --all-features check licenses bans sources

test-shared: ## run the tests that need the large files of SHARED; fails if one is missing
	TABIYA_SHARED="$(abspath $(SHARED))" $(TESTS) --tests -- --ignored shared_data::

test-slow: ## run the tests that take minutes or measure time, on an idle machine
	$(CARGO) test --release --locked -p tabiya -p tabiya-engine --tests -- --ignored --skip shared_data:: --test-threads 1 --nocapture

program: ## build the release program
	$(CARGO) build --release --locked

# A machine with nothing but python3 may lack ensurepip; virtualenv brings its own.
$(INSTALLED): $(REQUIREMENTS)
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  $(PYTHON) -m pip install virtualenv || \
	  $(PYTHON) -m pip install --user --break-system-packages virtualenv; \
	  $(PYTHON) -m virtualenv $(VENV); }
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $(REQUIREMENTS)
	touch $@

environment: $(INSTALLED) $(PYTHON_INSTALLED) ## install python-chess and others into .venv and .venv-python

differential: test-build comparisons ## compare with python-chess and others

comparisons: $(INSTALLED)
	$(VENV)/bin/python tests/differential/positions.py $(TESTED) --positions $(POSITIONS) --setups $(SETUPS)
	$(VENV)/bin/python tests/differential/notation.py $(NOTATION) --positions $(NOTATIONS)
	$(VENV)/bin/python tests/differential/data.py $(TESTED) --games $(DATA_GAMES)

# A bench is the same in every build: debug with all checks, release, for this machine alone, with the
# kernels of every instruction set, each way to find the moves of sliding pieces, first run and second. In
# folders of their own, so that no other build is undone.
BENCH_BUILD = --quiet --locked -p xtask --no-default-features --target-dir $(TARGET_DIR)/bench
BENCH = $(CARGO) run $(BENCH_BUILD) --example bench_nodes
BENCH_DEPTH ?= 6

bench-check: ## compare the nodes of a bench in debug, release, with every instruction set and slider backend
	@set -e; expected=$$($(BENCH) -- $(BENCH_DEPTH)); echo "debug: $$expected nodes"; \
	check() { name=$$1; shift; nodes=$$("$$@" -- $(BENCH_DEPTH)); echo "$$name: $$nodes nodes"; \
	  [ -n "$$nodes" ] && [ "$$nodes" = "$$expected" ] || { echo "$$name differs"; exit 1; }; }; \
	check "debug again" $(BENCH); \
	check release env CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 $(BENCH) --release; \
	for set in $$($(CARGO) run $(BENCH_BUILD) --example instruction_sets); do \
	  check $$set env TABIYA_CPU=$$set $(BENCH); \
	done; \
	check native env RUSTFLAGS="-C target-cpu=native" $(BENCH); \
	for backend in pext magic above-below hyperbola; do \
	  check $$backend env TABIYA_SLIDERS=$$backend $(BENCH); \
	done

# PyTorch is large (5 GB with what it brings along), so it has an environment of its own.
TORCH = .venv-torch
TORCH_NEEDS = torch numpy chess pyarrow safetensors

$(TORCH)/.installed:
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH_NEEDS)
	touch $@

# The Python package, in an environment of its own. `cargo test` builds the extension module with the libraries that
# the other tests use; the tests in Python load it from the source folder.
EXTENSION = $(TARGET_DIR)/debug/deps/lib_tabiya.$(if $(filter Darwin,$(shell uname)),dylib,so)
IN_PYTHON = PYTHONPATH=$(CURDIR)/python $(CURDIR)/$(PYVENV)/bin/python
QUICK = CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
SUITE = SquareTestCase=95 MoveTestCase=95 PieceTestCase=95 BoardTestCase=95 LegalMoveGeneratorTestCase=95 \
  BaseBoardTestCase=95 SquareSetTestCase=95 PgnTestCase=80

$(PYTHON_INSTALLED): tests/python/requirements.txt
	rm -rf $(PYVENV)
	$(PYTHON) -m venv $(PYVENV) || { rm -rf $(PYVENV); $(PYTHON) -m virtualenv $(PYVENV); }
	$(PYVENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
	touch $@

test-python: test-build python-tests ## test the Python package

# torch, Ray and wandb are large.
PYFULL = .venv-python-full
PYTHON_FULL = $(PYFULL)/.installed

# The library is replaced at once: a program that has loaded the old one keeps it.
python-tests: $(PYTHON_INSTALLED)
	cp $(EXTENSION) python/tabiya/_tabiya.new
	mv python/tabiya/_tabiya.new python/tabiya/_tabiya.abi3.so
	@$(IN_PYTHON) -m pytest -q -p no:cacheprovider tests/python > $(TARGET_DIR)/python-tests.txt 2>&1; \
	code=$$?; cat $(TARGET_DIR)/python-tests.txt; echo "Python: $$(tail -n 1 $(TARGET_DIR)/python-tests.txt)"; exit $$code

test-python-full: test-python $(PYTHON_FULL) ## test the Python package with torch, Ray and others, at length, and run the suite of python-chess
	$(IN_PYTHON) tests/python/python_chess_suite.py --explain --require $(SUITE)
	TABIYA_FULL=1 PYTHONPATH=$(CURDIR)/python $(PYFULL)/bin/python -m pytest -q -p no:cacheprovider --full tests/python

$(PYTHON_FULL): tests/python/requirements.txt tests/python/requirements-full.txt
	rm -rf $(PYFULL)
	$(PYTHON) -m venv $(PYFULL)
	$(PYFULL)/bin/python -m pip install --quiet --disable-pip-version-check $(^:%=-r %)
	touch $@

wheel: $(PYTHON_INSTALLED) ## build the wheel of the Python package, into target/wheels
	rm -f $(TARGET_DIR)/wheels/tabiya-*.whl
	$(PYVENV)/bin/maturin build --release --locked --strip --manifest-path python/Cargo.toml --out $(TARGET_DIR)/wheels

test-wheel: wheel ## check the wheel, and install it into empty environments of every Python from 3.9 on
	PYVENV=$(PYVENV) tests/python/wheel.sh $(TARGET_DIR)/wheels

python-bench: $(PYTHON_INSTALLED) ## measure the Python package beside python-chess, in one run
	$(QUICK) $(CARGO) build --release --locked -p tabiya-python
	$(PYVENV)/bin/python crates/peers/python/tabiya_python.py $(TARGET_DIR)/release/$(notdir $(EXTENSION)) $(ARGS)

# The page. Its program was built by the tests; debug builds read the files of the page from disk.
PLAYWRIGHT = tests/browser/node_modules/.installed

$(PLAYWRIGHT): tests/browser/package-lock.json
	cd tests/browser && npm ci --no-audit --no-fund
	touch $@

test-browser: ## test the page in Chromium: games, analysis, accessibility, types
	tests/browser/run.sh $(TESTED)

measure-page: program $(PLAYWRIGHT) ## measure how fast the page is, in Chromium
	cd tests/browser && TABIYA="$(abspath $(PROGRAM))" node measure.mjs

screenshots: program $(PLAYWRIGHT) ## draw the pictures of the page for the README and the book
	cd tests/browser && TABIYA="$(abspath $(PROGRAM))" node screenshots.mjs

load: program ## flood the server of the page and attack it, beside a good client (2 minutes)
	$(CARGO) run --release --locked -p tabiya-serve --example load -- $(PROGRAM)

# Attacks at length: not part of the tests.
ATTACK = .venv-attack

$(ATTACK)/.installed: tests/attack/requirements.txt
	$(PYTHON) -m venv $(ATTACK)
	$(ATTACK)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/attack/requirements.txt
	touch $@

attack: program $(ATTACK)/.installed ## attack the program at length: odd PGN, damaged files, absurd calls, kills
	PYTHON=$(CURDIR)/$(ATTACK)/bin/python runs/attack.sh $(PROGRAM)

nnue-bench: $(TORCH)/.installed ## measure the two-tower MLP beside PyTorch, in one run
	$(CARGO) build --release --locked -p tabiya
	$(TORCH)/bin/python crates/peers/python/nnue_torch.py $(PROGRAM) --threads 2

pra-check: $(TORCH)/.installed ## compare the transformer with a model in PyTorch: answers, training, files
	$(CARGO) build --release --locked -p tabiya
	$(TORCH)/bin/python crates/peers/python/pra_torch.py check $(PROGRAM)

pra-bench: $(TORCH)/.installed ## measure the transformer beside PyTorch, in one run
	$(CARGO) build --release --locked -p tabiya
	$(TORCH)/bin/python crates/peers/python/pra_torch.py bench $(PROGRAM) --threads 2

# Burn takes long to build, and longer with fat LTO. The device is a GPU or a software rasterizer;
# the latter takes minutes to try out kernels for every shape, so few are tried.
VULKAN_DRIVERS = $(wildcard /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json)

test-gpu: ## compare the transformer on GPU devices with the CPU backend, where there are any
	$(if $(VULKAN_DRIVERS),,-[ $$(uname) != Linux ] || apt-get install -y mesa-vulkan-drivers || \
	  echo "no Vulkan device: as root, 'apt-get install mesa-vulkan-drivers' brings one in software")
	CUBECL_AUTOTUNE_LEVEL=minimal CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
	  $(CARGO) test --release --locked -p tabiya-pra --features gpu --lib --test gpu -- --nocapture

# The tests of the book need no mdbook: its commands are executed, its links and anchors checked.
TOOLS = .tools
MDBOOK = $(or $(shell command -v mdbook),$(TOOLS)/bin/mdbook)

$(TOOLS)/bin/mdbook:
	$(CARGO) install mdbook --locked --root $(TOOLS)

book: $(MDBOOK) ## build docs/book/index.html (installs mdbook into .tools if there is none), check links, execute its commands
	$(MDBOOK) build docs
	$(CARGO) test --locked -p tabiya --test it book::

# NEON under emulation. As root: 'apt-get install qemu-user gcc-aarch64-linux-gnu' and, for rustup,
# 'rustup target add aarch64-unknown-linux-gnu'.
ARM = aarch64-unknown-linux-gnu

test-arm: ## run the tests of the kernels and networks for ARM under qemu-aarch64
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
	  $(CARGO) test --locked --target $(ARM) -p tabiya-simd -p tabiya-nnue --lib --tests

# Coverage counters do not survive fat LTO. There is hardly any unsafe code under these targets, so
# that the address sanitizer would only slow them down. New inputs go to fuzz/findings, which is not kept.
FUZZ = CARGO_PROFILE_RELEASE_LTO=off $(CARGO) +nightly fuzz

fuzz: ## fuzz positions, notation, networks and Paco Ŝako (needs nightly and cargo-fuzz), RUNS runs of each target
	for target in position fen epd san uci pgn packed_rows network_file paco_fen paco_actions; do \
	  mkdir -p fuzz/findings/$$target; \
	  $(FUZZ) run -s none $$target fuzz/findings/$$target fuzz/corpus/$$target -- -runs=$(RUNS) -max_len=160 || exit 1; \
	done

clean: ## remove what was built
	$(CARGO) clean
	rm -rf $(VENV) $(TORCH) $(ATTACK) $(PYVENV) $(PYFULL) $(TOOLS) docs/book tests/browser/node_modules
