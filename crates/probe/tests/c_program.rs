//! The library from C: `check.c` is compiled with the system's compiler against the header and the library,
//! and compares values of a script. So is the example of the README.
//!
//! `make test-shared` adds a real network with the values of nnue-probe.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chess::rng::Rng;
use chess::{Color, Observer, Piece, PieceType, Position, Square, chess960};
use nnue::halfkp::Network;
use test_support::TempDir;
use test_support::halfkp::{self, Weights};

/// The directory of the library that was built with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a file");
    let name = format!("{}nnueprobe{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folder = test.ancestors().skip(1).take(2).find(|folder| folder.join(&name).exists());
    folder.unwrap_or_else(|| panic!("{name} is not beside {}", test.display())).to_owned()
}

/// The directory of this crate.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compiles a program with the system's C compiler, which Rust needs for linking anyway.
fn compile(dir: &TempDir, source: &Path) -> PathBuf {
    let (program, library) = (dir.join("program"), library());
    let compiler = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-I")
        .arg(here().join("include"))
        .arg("-L")
        .arg(&library)
        .arg("-lnnueprobe")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .expect("a C compiler, cc");
    let complaints = String::from_utf8_lossy(&compiler.stderr);
    assert!(compiler.status.success(), "{complaints}");
    program
}

/// Compiles `check.c`.
fn compile_check(dir: &TempDir) -> PathBuf {
    compile(dir, &here().join("tests/check.c"))
}

/// Lets the program check a network by a script; what it prints, which is nothing but its own line.
fn check(dir: &TempDir, program: &Path, network: &Path, script: &str) -> String {
    let (cut_off, script_file) = (dir.join("cut off.nnue"), dir.join("script.txt"));
    fs::write(&cut_off, &fs::read(network).unwrap()[..1_000_000]).unwrap();
    fs::write(&script_file, script).unwrap();
    let output =
        Command::new(program).arg(network).arg(&cut_off).arg(&script_file).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} {stderr}", output.status);
    assert_eq!(stderr, "");
    String::from_utf8(output.stdout).expect("text")
}

/// nnue-probe's code of a piece.
fn code(piece: Piece) -> u8 {
    let kind = match piece.piece_type() {
        PieceType::King => 1,
        PieceType::Queen => 2,
        PieceType::Rook => 3,
        PieceType::Bishop => 4,
        PieceType::Knight => 5,
        PieceType::Pawn => 6,
    };
    if piece.color() == Color::White { kind } else { kind + 6 }
}

/// A move as a `DirtyPiece`: piece, from and to of each entry.
#[derive(Default)]
struct Dirty(Vec<(u8, usize, usize)>);

impl Observer for Dirty {
    fn put(&mut self, piece: Piece, square: Square) {
        let code = code(piece);
        match self.0.iter_mut().find(|change| change.0 == code && change.2 == 64) {
            Some(change) => change.2 = square.index(),
            None => self.0.push((code, 64, square.index())),
        }
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        self.0.push((code(piece), square.index(), 64));
    }

    fn relocate(&mut self, piece: Piece, from: Square, to: Square) {
        // The moving piece comes first.
        self.0.insert(0, (code(piece), from.index(), to.index()));
    }
}

impl Dirty {
    fn append_to(&self, script: &mut String) {
        write!(script, " {}", self.0.len()).unwrap();
        for (code, from, to) in &self.0 {
            write!(script, " {code} {from} {to}").unwrap();
        }
        script.push('\n');
    }
}

/// The piece list: pieces and squares, kings first, terminated by 0.
fn pieces(position: &Position) -> String {
    let mut list = String::new();
    for color in Color::ALL {
        let king = Piece::new(color, PieceType::King);
        write!(list, " {} {}", code(king), position.king(color).index()).unwrap();
    }
    for (square, piece) in position.board().iter() {
        if piece.piece_type() != PieceType::King {
            write!(list, " {} {}", code(piece), square.index()).unwrap();
        }
    }
    list + " 0"
}

/// Random games with the network's values. Some positions are not evaluated, so that accumulators are
/// updated from one and two plies earlier and refreshed.
fn games(network: &Network, script: &mut String) {
    let mut rng = Rng::new(11, 0);
    for _ in 0..12 {
        let mut position = chess960::start(rng.below(960) as u16).expect("below 960");
        let mut dirty = Dirty::default();
        script.push_str("G\n");
        for _ in 0..160 {
            if rng.below(3) > 0 {
                let (value, turn) = (network.evaluate(&position), position.turn().index());
                write!(script, "P {value} {turn}{}", pieces(&position)).unwrap();
            } else {
                script.push('S');
            }
            dirty.append_to(script);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            dirty = Dirty::default();
            position = position.after_observed(moves[rng.below(moves.len())], &mut dirty);
        }
    }
}

#[test]
fn a_made_network_has_the_values_that_the_rust_library_gives() {
    let dir = TempDir::new();
    let program = compile_check(&dir);
    let file = halfkp::file(Weights::Typical, 12);
    let network = Network::from_bytes(&file).unwrap();
    let path = dir.join("made.nnue");
    fs::write(&path, &file).unwrap();
    let mut script = String::new();
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17",
    ] {
        let value = network.evaluate(&Position::from_fen(fen).unwrap());
        writeln!(script, "F {value} {fen}").unwrap();
    }
    games(&network, &mut script);
    let printed = check(&dir, &program, &path, &script);
    assert!(printed.starts_with("2 FENs, 1"), "{printed}");
}

#[test]
fn the_example_of_the_readme_prints_a_value_or_why_there_is_none() {
    let dir = TempDir::new();
    let readme = fs::read_to_string(here().join("README.md")).unwrap();
    let (_, example) = readme.split_once("```c\n").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let source = dir.join("example.c");
    fs::write(&source, example).unwrap();
    let program = compile(&dir, &source);
    let run = || Command::new(&program).current_dir(dir.join("")).output().unwrap();

    let output = run();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nn-62ef826d1a6d.nnue"), "{output:?}");

    let file = halfkp::file(Weights::Typical, 12);
    fs::write(dir.join("nn-62ef826d1a6d.nnue"), &file).unwrap();
    let value = Network::from_bytes(&file).unwrap().evaluate(&Position::INITIAL);
    let output = run();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{value}\n"));
}

mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs a network of 21 MB: make test-shared"]
    fn a_real_network_has_the_values_of_nnue_probe() {
        let path = test_support::shared("nnue/nn-62ef826d1a6d.nnue");
        let vectors = fs::read_to_string(test_support::shared("nnue/halfkp_vectors.txt")).unwrap();
        let dir = TempDir::new();
        let program = compile_check(&dir);
        let mut script = String::new();
        for line in vectors.lines().filter(|line| !line.starts_with('#')) {
            let (fen, value) = line.split_once(';').unwrap();
            let position = Position::from_fen(fen).unwrap();
            let turn = position.turn().index();
            writeln!(script, "F {} {fen}", value.trim()).unwrap();
            writeln!(script, "G\nP {} {turn}{} 0", value.trim(), pieces(&position)).unwrap();
        }
        assert_eq!(check(&dir, &program, &path, &script), "400 FENs, 400 positions\n");
    }
}
