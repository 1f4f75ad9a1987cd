//! The tablebases: what they say, that it is passed on, and that won positions are really won.
//!
//! The files are looked for beside the repository, in `../shared/data/syzygy`; without them the tests
//! say so and pass.

use std::path::Path;
use std::sync::{Arc, Mutex};

use chess::chance::mixed;
use chess::{Color, Game, Outcome, Piece, PieceType, Position, Setup, Square};
use engine::score::{self, Score};
use engine::search::{Control, Engine, Limits, Settings, with_deep_stack};
use engine::syzygy::{TablebaseError, Tablebases};
use engine::uci::{Limit, Session};

fn folder() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    if !path.join("KBNvK.rtbz").exists() {
        println!("skipped: there are no tablebases in {}", path.display());
        return None;
    }
    Some(path.to_str().expect("a path in UTF-8").to_owned())
}

fn tablebases() -> Option<Tablebases> {
    let tables = Tablebases::open(&folder()?).expect("they can be opened");
    assert_eq!(tables.max_pieces(), 4);
    Some(tables)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Win,
    Draw,
    Loss,
}
use Verdict::{Draw, Loss, Win};

fn result(score: Score) -> Verdict {
    match score {
        _ if score::is_decided(score) => {
            if score > 0 {
                Win
            } else {
                Loss
            }
        }
        _ => {
            assert!(score.abs() <= 1, "a known result is told as one: {score}");
            Draw
        }
    }
}

/// What anyone can look up in a book on endings.
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

#[test]
fn known_endings_have_their_known_results_in_the_tables_and_at_the_root() {
    let Some(tables) = tablebases() else { return };
    with_deep_stack(|| {
        let mut engine = Engine::new(1).expect("memory");
        engine.set_tablebases(Some(tables.clone()));
        for &(name, fen, expected) in KNOWN {
            let position: Position = fen.parse().expect(name);
            let looked_up = tables.score(&position, 0).expect(name);
            assert_eq!(result(looked_up), expected, "{name}");
            engine.new_game();
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let hits = Mutex::new(0);
            let report = |report: engine::search::Report<'_>| {
                if let engine::search::Report::Line(line) = report {
                    *hits.lock().unwrap() = line.tablebase_hits;
                    assert_eq!(result(line.score), expected, "{name}: {line:?}");
                }
            };
            let control = Control::new(false);
            let game = Game::new(position);
            let found = engine.search(&game, &limits, Settings::default(), &control, &report);
            assert_eq!(result(found.score), expected, "{name}: {found:?}");
            assert!(hits.into_inner().unwrap() > 0, "{name}: no hits were told");
        }
    })
    .expect("see above");
}

#[test]
fn what_the_tables_know_is_told_in_the_protocol() {
    let Some(folder) = folder() else { return };
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let output = Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned()));
    let mut session = Session::new("Engine", "authors", Limit::default(), output).expect("memory");
    let mut ask = |line: &str| {
        lines.lock().unwrap().clear();
        session.line(line);
        session.wait();
        lines.lock().unwrap().clone()
    };
    assert_eq!(
        ask(&format!("setoption name SyzygyPath value {folder}")),
        ["info string tablebases for up to 4 pieces"]
    );
    for (position, won) in [
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", true), // in the tables
        ("8/8/8/3kn3/8/8/8/KR6 w - - 0 1", false),
        ("8/1r6/8/3k4/8/1P6/8/KR6 b - - 0 1", false), // five pieces: a capture leads there
    ] {
        ask(&format!("position fen {position}"));
        let said = ask("go depth 8");
        let last = said.iter().rev().find(|line| line.contains(" score ")).expect("a score");
        let number = |word: &str| -> i64 {
            let mut words = last.split(' ').skip_while(|&w| w != word);
            words.nth(1).expect(word).parse().expect("a number")
        };
        assert!(number("tbhits") > 0, "{position}: {last}");
        if won {
            assert!(last.contains(" mate ") || number("cp") > 19_800, "{position}: {last}");
        } else {
            assert!(number("cp").abs() < 250, "{position}: {last}");
        }
    }
    assert!(ask("setoption name SyzygyPath value <empty>").is_empty());
}

#[test]
fn won_endings_are_mated_within_fifty_moves() {
    let Some(tables) = tablebases() else { return };
    with_deep_stack(|| {
        let mut engine = Engine::new(4).expect("memory");
        engine.set_tablebases(Some(tables.clone()));
        for fen in [
            "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
            "k7/8/8/8/8/8/8/6QK w - - 0 1",
            "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
            "8/8/8/4K3/8/8/8/k6r b - - 0 1",
            "8/8/3k4/8/8/8/8/KBN5 w - - 0 1",
            "7k/8/8/8/8/8/8/K1BN4 w - - 0 1",
            "8/8/8/3nb3/4k3/8/K7/8 b - - 0 1",
            "8/8/8/3k4/8/8/8/KBB5 w - - 0 1",
            "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
            "8/8/8/3k3r/8/8/8/KQ6 w - - 0 1",
        ] {
            let mut game = Game::new(fen.parse().expect(fen));
            let winner = game.position().turn();
            engine.new_game();
            while game.outcome().is_none() {
                assert!(game.position().halfmove_clock() < 100, "{fen}: fifty moves");
                assert!(game.repetitions() < 3, "{fen}: a repetition");
                let limits = Limits { nodes: Some(1000), ..Limits::default() };
                let control = Control::new(false);
                let found = engine.search(&game, &limits, Settings::default(), &control, &|_| {});
                game.play(found.best.expect("a move")).expect("a legal one");
            }
            assert_eq!(game.outcome(), Some(Outcome::Checkmate(winner)), "{fen}");
        }
    })
    .expect("see above");
}

/// Two kings and one or two more pieces on random squares, until that is legal.
fn random_position(seed: &mut u64) -> Position {
    let mut below = |end: usize| {
        *seed = mixed(*seed);
        (*seed >> 33) as usize % end
    };
    loop {
        let mut setup = Setup::EMPTY;
        for n in 0..3 + below(2) {
            let (color, piece_type) = match n {
                0 => (Color::White, PieceType::King),
                1 => (Color::Black, PieceType::King),
                _ => (Color::ALL[below(2)], PieceType::ALL[below(5)]),
            };
            let square = Square::from_index(below(64));
            if setup.board.piece_at(square).is_none() {
                setup.board.put(square, Piece::new(color, piece_type));
            }
        }
        setup.turn = Color::ALL[below(2)];
        if let Ok(position) = setup.position()
            && position.occupied().len() >= 3
            && position.has_legal_move()
        {
            return position;
        }
    }
}

/// The same position just after a capture, as the tables want it.
fn with_clock_at_zero(position: &Position) -> Position {
    Setup { halfmove_clock: 0, ..Setup::from(*position) }.position().expect("it was legal before")
}

#[test]
fn two_thousand_random_positions_agree_with_what_follows_from_their_moves() {
    let Some(tables) = tablebases() else { return };
    let mut seed = 3;
    let mut seen = [0; 3];
    for _ in 0..2000 {
        let position = random_position(&mut seed);
        let here = result(tables.score(&position, 0).expect("three or four pieces"));
        let mut best = Loss;
        for m in position.legal_moves() {
            let next = with_clock_at_zero(&position.after(m));
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
    assert!(seen.iter().all(|&n| n > 100), "wins, draws and losses: {seen:?}");
}

#[test]
fn folders_without_whole_tables_are_refused() {
    let folder = std::env::temp_dir().join(format!("tabiya-syzygy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.to_str().expect("a path in UTF-8");
    let open = |path: &str| Tablebases::open(path).err();
    let refused = |error: Option<TablebaseError>| {
        // Another test may have tables open, and there is one set for a process.
        assert!(error.is_some());
        error.filter(|error| !matches!(error, TablebaseError::InUse(_)))
    };
    if let Some(error) = refused(open(path)) {
        assert_eq!(error, TablebaseError::NoFiles(path.to_owned()));
    }
    for content in [&b""[..], b"no tablebase", &[0x71, 0xe8, 0x23, 0x5d], &[7; 80]] {
        std::fs::write(folder.join("KQvK.rtbw"), content).expect("a file");
        if let Some(error) = refused(open(path)) {
            assert!(error.to_string().contains("KQvK.rtbw"), "{error}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("a folder to remove");
    assert!(refused(open("/nowhere/at/all")).is_none_or(|e| e.to_string().contains("/nowhere")));
}
