//! Tablebases: WDL and DTZ values, and rejected directories.
//!
//! A few tables are in `tests/data/syzygy`; `make test-shared` adds all of three and four pieces.

use std::sync::Mutex;

use chess::rng::Rng;
use chess::{Game, Position};
use tabiya_engine::search::{Control, Engine, Limits, Settings, with_deep_stack};
use tabiya_engine::syzygy::{TablebaseError, Tablebases};
use tabiya_engine::value::{self, Value};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Win,
    Draw,
    Loss,
}
use Verdict::{Draw, Loss, Win};

use crate::tables::{TableDir, all, random_position, small, with_clock};

fn result(score: Value) -> Verdict {
    match score {
        _ if value::is_decided(score) => {
            if score > 0 {
                Win
            } else {
                Loss
            }
        }
        _ => {
            assert!(score.abs() <= 1, "a known result is not reported as one: {score}");
            Draw
        }
    }
}

/// Textbook endings.
const KNOWN: &[(&str, &str, Verdict)] = &[
    ("KQvK", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", Win),
    ("KQvK, the queen is lost", "8/8/8/8/8/2k5/1Q6/4K3 b - - 0 1", Draw),
    ("KQvK, the defender to move", "8/8/8/3k4/8/8/8/KQ6 b - - 0 1", Loss),
    ("KRvK", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", Win),
    ("KRvK for Black", "8/8/8/3K4/8/8/8/kr6 b - - 0 1", Win),
    ("KPvK, the king is in front", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Win),
    ("KPvK, the king is in front and the other to move", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Loss),
    ("KPvK without the opposition", "8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", Draw),
    ("KPvK, a rook's pawn", "k7/8/8/8/8/8/P7/K7 w - - 0 1", Draw),
    ("KPvK, out of the square", "8/8/8/P7/8/8/6k1/K7 w - - 0 1", Win),
    ("KBNvK", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1", Win),
    ("KNNvK", "8/8/8/3k4/8/8/8/KNN5 w - - 0 1", Draw),
    ("KBBvK", "8/8/8/3k4/8/8/8/KBB5 w - - 0 1", Win),
    ("KBBvK, both on white", "8/8/8/3k4/8/8/8/KB1B4 w - - 0 1", Draw),
    ("KBPvK, the wrong bishop", "k7/8/8/8/8/8/P7/K3B3 w - - 0 1", Draw),
    ("KQvKR", "8/8/8/3k3r/8/8/8/KQ6 w - - 0 1", Win),
    ("KRvKN", "8/8/8/3kn3/8/8/8/KR6 w - - 0 1", Draw),
    ("KRvKB", "7k/8/8/3b4/8/8/8/KR6 w - - 0 1", Draw),
    ("KQvKP, a knight's pawn", "8/8/8/8/8/2QK4/1p6/1k6 b - - 0 1", Loss),
    ("KQvKP, a bishop's pawn and a far king", "7K/8/8/8/8/8/2p4Q/1k6 w - - 0 1", Draw),
    ("KPvKP, blocked", "8/8/8/3k4/p7/P7/K7/8 w - - 0 1", Draw),
];

fn check_known_endings(folder: &TableDir) {
    let tables = folder.open();
    let rows = KNOWN.iter().filter(|(name, ..)| {
        folder.has(&format!("{}.rtbw", name.split([' ', ',']).next().unwrap_or_default()))
    });
    assert!(rows.clone().count() >= 13, "{}", folder.path());
    with_deep_stack(|| {
        let mut engine = Engine::new(1).expect("memory");
        engine.set_tablebases(Some(tables.clone()));
        for &(name, fen, expected) in rows {
            let position: Position = fen.parse().expect(name);
            let looked_up = tables.score(&position, 0).expect(name);
            assert_eq!(result(looked_up), expected, "{name}");
            engine.new_game();
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let hits = Mutex::new(0);
            let report = |report: tabiya_engine::search::Report<'_>| {
                if let tabiya_engine::search::Report::Line(line) = report {
                    *hits.lock().unwrap() = line.tablebase_hits;
                    assert_eq!(result(line.score), expected, "{name}: {line:?}");
                }
            };
            let control = Control::new(false);
            let game = Game::new(position);
            let found = engine.search(&game, &limits, Settings::default(), &control, &report);
            assert_eq!(result(found.score), expected, "{name}: {found:?}");
            assert!(hits.into_inner().unwrap() > 0, "{name}: no hits were reported");
        }
    })
    .expect("see above");
}

#[test]
fn known_endings_have_their_known_results_in_the_tables_and_at_the_root() {
    check_known_endings(&small());
}

fn check_random_positions(folder: &TableDir) {
    let tables = folder.open();
    let mut rng = Rng::from_seed(3);
    let mut seen = [0; 3];
    for table in &folder.closed {
        for _ in 0..150 {
            let position = random_position(&mut rng, table);
            let here = result(tables.score(&position, 0).expect("three or four pieces"));
            let mut best = Loss;
            for m in position.legal_moves() {
                let next = with_clock(&position.after(m), 0);
                let theirs = if next.is_checkmate() {
                    Loss
                } else if next.is_stalemate() || next.occupied().len() == 2 {
                    Draw
                } else {
                    result(tables.score(&next, 0).expect("no more pieces than before"))
                };
                best = match theirs {
                    Loss => Win,
                    Draw if best == Loss => Draw,
                    _ => best,
                };
            }
            assert_eq!(here, best, "{position}");
            seen[here as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "wins, draws and losses: {seen:?}");
}

#[test]
fn random_positions_agree_with_what_follows_from_their_moves() {
    check_random_positions(&small());
}

fn check_distances(folder: &TableDir) {
    let tables = folder.open();
    let mut rng = Rng::from_seed(5);
    let mut seen = 0;
    for table in folder.closed.iter().filter(|name| folder.has(&format!("{name}.rtbz"))) {
        for _ in 0..60 {
            let position = random_position(&mut rng, table);
            let wdl = tables.wdl(&position).expect("a result");
            let dtz = tables.dtz(&position).expect("a distance").plies;
            assert_eq!(dtz.signum(), (wdl as i32).signum(), "{position}");
            if dtz == 0 {
                continue;
            }
            // For the winner the shortest way, for the other the longest.
            let after = position.legal_moves().into_iter().filter_map(|m| {
                let next = position.after(m);
                let won = -(tables.wdl(&next).expect("a result") as i32);
                let plies = if next.is_checkmate() || next.halfmove_clock() == 0 {
                    1
                } else {
                    1 + tables.dtz(&next).expect("a distance").plies.abs()
                };
                (won.signum() == dtz.signum()).then_some(plies)
            });
            let best = if dtz > 0 { after.min() } else { after.max() }.expect("a move");
            // Tables that count in moves are off by one at most.
            assert!((dtz.abs() - best).abs() <= 1, "{position}: {dtz}, by moves {best}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} decided positions");
}

#[test]
fn distances_agree_with_those_after_the_best_move() {
    check_distances(&small());
}

#[test]
fn results_and_distances_are_those_of_python_chess() {
    let folder = small();
    let tables = folder.open();
    let rows = std::fs::read_to_string(folder.path.join("positions.txt")).expect("positions");
    let (mut distances, mut en_passant) = (0, 0);
    for row in rows.lines() {
        let (fen, expected) = row.split_once(" | ").expect("a position and its values");
        let position: Position = fen.parse().expect(fen);
        let wdl = tables.wdl(&position).expect("a result") as i32;
        let (expected_wdl, expected_dtz) = expected.split_once(' ').expect("two values");
        assert_eq!(wdl.to_string(), expected_wdl, "{fen}");
        if expected_dtz != "-" {
            let dtz = tables.dtz(&position).expect("a distance").plies;
            assert_eq!(dtz.to_string(), expected_dtz, "{fen}");
            distances += 1;
        }
        en_passant += usize::from(position.en_passant().is_some());
    }
    assert!(distances > 200 && en_passant > 50, "{distances} {en_passant}");
}

#[test]
fn directories_without_valid_tables_are_rejected() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path();
    let path = folder.to_str().expect("a path in UTF-8");
    let open = |path: &str| Tablebases::open(path).err().expect("an error");
    assert_eq!(open(path), TablebaseError::NoFiles(path.to_owned()));
    for content in [&b""[..], b"no tablebase", &[0x71, 0xe8, 0x23, 0x5d], &[7; 80]] {
        std::fs::write(folder.join("KQvK.rtbw"), content).expect("a file");
        let error = open(path).to_string();
        assert!(error.contains("KQvK.rtbw"), "{error}");
    }
    std::fs::remove_file(folder.join("KQvK.rtbw")).expect("a file to remove");
    std::fs::create_dir(folder.join("KQvK.rtbw")).expect("a folder");
    assert!(open(path).to_string().ends_with("KQvK.rtbw: not a regular file"));
    assert_eq!(open("/nowhere/at/all"), TablebaseError::NoFolder("/nowhere/at/all".to_owned()));
}

/// All tables of three and four pieces.
mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs all tables of four pieces: make test-shared"]
    fn known_endings_have_their_known_results_in_the_tables_and_at_the_root() {
        check_known_endings(&all());
    }

    #[test]
    #[ignore = "needs all tables of four pieces: make test-shared"]
    fn random_positions_agree_with_what_follows_from_their_moves() {
        check_random_positions(&all());
    }

    #[test]
    #[ignore = "needs all tables of four pieces: make test-shared"]
    fn distances_agree_with_those_after_the_best_move() {
        check_distances(&all());
    }
}
