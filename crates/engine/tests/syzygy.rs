//! The tablebases: what they have, that it is passed on, and that won positions are really won.
//!
//! A few tables are in `tests/data/syzygy`. All tables of three and four pieces are looked at too if they are
//! beside the repository, in `../shared/data/syzygy`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chess::chance::mixed;
use chess::{Color, Game, Outcome, Piece, PieceType, Position, Setup, Square};
use engine::score::{self, Score};
use engine::search::{Control, Engine, Limits, RootMove, Settings, with_deep_stack};
use engine::syzygy::{TablebaseError, Tablebases, Wdl};
use engine::uci::{Limit, Session};

/// A folder with tables.
struct Folder {
    path: PathBuf,
    /// Tables for which those after each capture and promotion are there too.
    closed: Vec<String>,
}

impl Folder {
    fn path(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    fn open(&self) -> Tablebases {
        let tables = Tablebases::open(self.path()).expect("they can be opened");
        assert_eq!((tables.max_pieces(), tables.skipped()), (4, &[][..]));
        tables
    }

    fn has(&self, table: &str) -> bool {
        self.path.join(table).exists()
    }
}

/// The tables of this repository.
fn small() -> Folder {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    let closed = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KRvKR", "KNNvK", "KBvKN", "KBNvK"];
    Folder { path, closed: closed.map(str::to_owned).into() }
}

/// The tables of this repository, and all of three and four pieces if they are there.
fn folders() -> Vec<Folder> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    let mut folders = vec![small()];
    if let Ok(entries) = path.read_dir() {
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let closed: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix(".rtbw")?.to_owned())).collect();
        if closed.len() == 35 {
            folders.push(Folder { path, closed });
        }
    }
    folders
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
    for folder in folders() {
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
                assert!(hits.into_inner().unwrap() > 0, "{name}: no hits were reported");
            }
        })
        .expect("see above");
    }
}

/// A session, and what it prints.
struct Talk {
    session: Session,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Talk {
    fn new() -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = lines.clone();
        let output = Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned()));
        let session = Session::new("Engine", "authors", Limit::default(), output).expect("memory");
        Self { session, lines }
    }

    fn ask(&mut self, line: &str) -> Vec<String> {
        self.lines.lock().unwrap().clear();
        self.session.line(line);
        self.session.wait();
        self.lines.lock().unwrap().clone()
    }

    /// The last line with a score of a search.
    fn search(&mut self, position: &str, go: &str) -> String {
        self.ask(&format!("position fen {position}"));
        let said = self.ask(go);
        said.into_iter().rev().find(|line| line.contains(" score ")).expect("a score")
    }
}

/// The number after a word of a line.
fn number(line: &str, word: &str) -> i64 {
    let mut words = line.split(' ').skip_while(|&w| w != word);
    words.nth(1).expect(word).parse().expect("a number")
}

#[test]
fn what_the_tables_know_is_told_in_the_protocol() {
    let mut talk = Talk::new();
    assert_eq!(
        talk.ask(&format!("setoption name SyzygyPath value {}", small().path())),
        ["info string tablebases for up to 4 pieces"]
    );
    for (position, won) in [
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", true), // in the tables
        ("8/8/3r4/3k4/8/8/8/KR6 w - - 0 1", false),
        ("8/1r6/8/3k4/8/1P6/8/KR6 b - - 0 1", false), // five pieces: captures lead there
    ] {
        let last = talk.search(position, "go depth 8");
        assert!(number(&last, "tbhits") > 0, "{position}: {last}");
        if won {
            assert!(last.contains(" mate ") || number(&last, "cp") > 19_800, "{position}: {last}");
        } else {
            assert!(number(&last, "cp").abs() < 250, "{position}: {last}");
        }
    }
    assert!(talk.ask("setoption name SyzygyPath value <empty>").is_empty());
}

#[test]
fn engines_of_one_process_use_different_folders() {
    let folder = temporary("folders");
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        std::fs::copy(small().path.join(name), folder.join(name)).expect("a copy");
    }
    let (mut queen, mut all) = (Talk::new(), Talk::new());
    let path = folder.to_str().expect("a path in UTF-8");
    let three = ["info string tablebases for up to 3 pieces"];
    assert_eq!(queen.ask(&format!("setoption name SyzygyPath value {path}")), three);
    all.ask(&format!("setoption name SyzygyPath value {}", small().path()));
    let queen_ending = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    let rook_ending = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
    for _ in 0..2 {
        assert!(number(&queen.search(queen_ending, "go depth 2"), "tbhits") > 0);
        assert_eq!(number(&queen.search(rook_ending, "go depth 2"), "tbhits"), 0);
        assert!(number(&all.search(queen_ending, "go depth 2"), "tbhits") > 0);
        assert!(number(&all.search(rook_ending, "go depth 2"), "tbhits") > 0);
    }
    // Several folders are one set.
    let separator = if cfg!(windows) { ';' } else { ':' };
    let both = Tablebases::open(&format!("{path}{separator}{}", small().path())).expect("both");
    assert_eq!(both.max_pieces(), 4);
    std::fs::remove_dir_all(&folder).expect("a folder to remove");
}

#[test]
fn a_damaged_file_is_named_and_the_others_are_used() {
    let folder = temporary("damaged");
    for entry in small().path.read_dir().expect("a folder").flatten() {
        std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("a copy");
    }
    let whole = std::fs::read(folder.join("KQvK.rtbw")).expect("a file");
    std::fs::write(folder.join("KQvK.rtbw"), &whole[..80]).expect("a file");
    std::fs::copy(folder.join("KRvK.rtbz"), folder.join("KBvK.rtbz")).expect("a copy");
    std::fs::write(folder.join("queen.rtbw"), &whole).expect("a file");
    let mut talk = Talk::new();
    let path = folder.to_str().expect("a path in UTF-8");
    let said = talk.ask(&format!("setoption name SyzygyPath value {path}"));
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[0], "info string tablebases for up to 4 pieces");
    for (line, (name, reason)) in said[1..].iter().zip([
        ("KBvK.rtbz", "its pieces are not those of its name"),
        ("KQvK.rtbw", "truncated"),
        ("queen.rtbw", "not named after its pieces, such as KRPvKR"),
    ]) {
        let file = folder.join(name);
        let file = file.display();
        assert_eq!(
            *line,
            format!("info string warning: tablebase file left out: {file}: {reason}")
        );
    }
    let queen = talk.search("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "go depth 4");
    assert_eq!(number(&queen, "tbhits"), 0, "{queen}");
    let rook = talk.search("8/8/8/3k4/8/8/8/KR6 w - - 0 1", "go depth 4");
    assert!(number(&rook, "tbhits") > 0 && number(&rook, "cp") > 19_800, "{rook}");
    std::fs::remove_dir_all(&folder).expect("a folder to remove");
}

/// Plays a won ending with the engine on both sides, to mate.
fn mate(engine: &mut Engine, fen: &str) {
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

#[test]
fn won_endings_are_mated_within_fifty_moves() {
    for folder in folders() {
        let tables = folder.open();
        with_deep_stack(|| {
            let mut engine = Engine::new(4).expect("memory");
            engine.set_tablebases(Some(tables));
            for (table, fen) in [
                ("KQvK", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"),
                ("KQvK", "k7/8/8/8/8/8/8/6QK w - - 0 1"),
                ("KRvK", "8/8/8/3k4/8/8/8/KR6 w - - 0 1"),
                ("KRvK", "8/8/8/4K3/8/8/8/k6r b - - 0 1"),
                ("KPvK", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"),
                ("KBNvK", "8/8/3k4/8/8/8/8/KBN5 w - - 0 1"),
                ("KBNvK", "7k/8/8/8/8/8/8/K1BN4 w - - 0 1"),
                ("KBNvK", "8/8/8/3nb3/4k3/8/K7/8 b - - 0 1"),
                ("KBBvK", "8/8/8/3k4/8/8/8/KBB5 w - - 0 1"),
                ("KQvKR", "8/8/8/3k3r/8/8/8/KQ6 w - - 0 1"),
            ] {
                if folder.has(&format!("{table}.rtbz")) {
                    mate(&mut engine, fen);
                }
            }
        })
        .expect("see above");
    }
}

#[test]
fn results_without_distances_are_enough_to_keep_a_win() {
    let folder = temporary("results");
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"].map(|name| format!("{name}.rtbw")) {
        std::fs::copy(small().path.join(&name), folder.join(&name)).expect("a copy");
    }
    let tables = Tablebases::open(folder.to_str().expect("a path in UTF-8")).expect("tables");
    // Of the moves of this pawn ending, only those that win are ranked first, and all the same.
    let game = Game::new("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1".parse().expect("a position"));
    let moves = ranked(&tables, &game);
    let after = |root: &RootMove| game.position().after(root.m);
    assert!(moves.iter().any(|root| tables.dtz(&after(root)).is_none()), "no distances");
    assert_eq!(tables.wdl(game.position()), Some(Wdl::Win));
    for root in &moves {
        let result = tables.wdl(&after(root)).expect("a result");
        assert_eq!(root.tablebase_rank == moves[0].tablebase_rank, result == Wdl::Loss);
        assert_eq!(root.tablebase_score.is_some_and(score::is_decided), result == Wdl::Loss);
    }
    with_deep_stack(|| {
        let mut engine = Engine::new(4).expect("memory");
        engine.set_tablebases(Some(tables));
        mate(&mut engine, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
    })
    .expect("see above");
    std::fs::remove_dir_all(&folder).expect("a folder to remove");
}

/// All moves of a game's position, ranked.
fn ranked(tables: &Tablebases, game: &Game) -> Vec<RootMove> {
    let mut moves: Vec<_> = game.position().legal_moves().into_iter().map(RootMove::new).collect();
    tables.rank_root(game, &mut moves);
    moves
}

/// The same position with another halfmove clock.
fn with_clock(position: &Position, halfmove_clock: u16) -> Position {
    Setup { halfmove_clock, ..Setup::from(*position) }.position().expect("it was legal before")
}

#[test]
fn wins_just_inside_the_fifty_move_rule_are_won_by_rank_alone() {
    for folder in folders() {
        let tables = folder.open();
        let mut seed = 17;
        let mut won = 0;
        for table in folder.closed.iter().filter(|name| folder.has(&format!("{name}.rtbz"))) {
            for _ in 0..40 {
                let position = random_position(&mut seed, table);
                let dtz = tables.dtz(&position).expect("a distance");
                if dtz.plies <= 0 || dtz.plies > 90 {
                    continue;
                }
                let clock = 100 - dtz.plies - i32::from(dtz.rounded);
                let mut game = Game::new(with_clock(&position, clock as u16));
                let winner = position.turn();
                while game.outcome().is_none() {
                    let moves = ranked(&tables, &game);
                    let best = moves.first().expect("a move");
                    let decided = best.tablebase_score.is_some_and(score::is_decided);
                    assert!(decided, "{position} at {clock}: {game:?}");
                    game.play(best.m).expect("a legal move");
                    assert_eq!(game.claimable_draw(), None, "{position} at {clock}: {game:?}");
                }
                assert_eq!(game.outcome(), Some(Outcome::Checkmate(winner)), "{position}");
                won += 1;
            }
        }
        assert!(won > 50, "{won} wins");
    }
}

#[test]
fn a_win_beyond_the_fifty_move_rule_is_ranked_as_nearly_drawn() {
    let tables = small().open();
    let position: Position = "8/8/8/3k4/8/8/8/KR6 w - - 0 1".parse().expect("a position");
    let dtz = tables.dtz(&position).expect("a distance").plies;
    for (clock, decided) in [(0, true), (99 - dtz, true), (101 - dtz, false), (98, false)] {
        let moves = ranked(&tables, &Game::new(with_clock(&position, clock as u16)));
        let score = moves[0].tablebase_score.expect("a score");
        assert_eq!(score::is_decided(score), decided, "{clock}: {score}");
        assert!(score > 0, "{clock}: {score}");
    }
    // The other player is lost only while there is time.
    let lost: Position = "8/8/8/3k4/8/8/1R6/K7 b - - 0 1".parse().expect("a position");
    let dtz = -tables.dtz(&lost).expect("a distance").plies;
    for (clock, decided) in [(0, true), (101 - dtz, false)] {
        let moves = ranked(&tables, &Game::new(with_clock(&lost, clock as u16)));
        let score = moves[0].tablebase_score.expect("a score");
        assert_eq!(score::is_decided(score), decided, "{clock}: {score}");
        assert!(score < 0, "{clock}: {score}");
    }
}

#[test]
fn a_move_that_repeats_a_position_for_the_third_time_is_ranked_as_a_draw() {
    let tables = small().open();
    let mut game = Game::new("8/8/8/3k4/8/8/8/KR6 w - - 0 1".parse().expect("a position"));
    let best = ranked(&tables, &game)[0].m;
    let rank = |game: &Game| {
        let moves = ranked(&tables, game);
        let root = moves.into_iter().find(|root| root.m == best).expect("the move");
        (root.tablebase_rank, root.tablebase_score)
    };
    let fresh = rank(&game);
    // Twice the best move and back.
    let mut probe = game.clone();
    probe.play(best).expect("a legal move");
    let reply = probe.position().legal_moves()[0];
    for _ in 0..2 {
        assert_eq!(rank(&game), fresh, "{game:?}");
        game.play(best).expect("a legal move");
        game.play(reply).expect("a legal move");
        for (from, to) in [(best.to(), best.from()), (reply.to(), reply.from())] {
            let m = chess::Move::new(from, to, chess::MoveKind::Quiet);
            game.play(m).expect("the way back");
        }
    }
    assert_eq!(rank(&game), (0, Some(score::DRAW)));
    assert!(ranked(&tables, &game)[0].tablebase_score.is_some_and(score::is_decided));
}

/// A random legal position with the pieces of a table, colors and player to move at random, that is not
/// the end of a game.
fn random_position(seed: &mut u64, table: &str) -> Position {
    let mut below = |end: usize| {
        *seed = mixed(*seed);
        (*seed >> 33) as usize % end
    };
    loop {
        let mut setup = Setup::EMPTY;
        let mut color = Color::ALL[below(2)];
        for letter in table.chars() {
            match PieceType::from_letter(letter) {
                Some(piece_type) => {
                    setup.board.put(Square::from_index(below(64)), Piece::new(color, piece_type))
                }
                None => color = !color,
            }
        }
        setup.turn = Color::ALL[below(2)];
        if let Ok(position) = setup.position()
            && position.occupied().len() == table.len() - 1
            && position.has_legal_move()
        {
            return position;
        }
    }
}

#[test]
fn random_positions_agree_with_what_follows_from_their_moves() {
    for folder in folders() {
        let tables = folder.open();
        let mut seed = 3;
        let mut seen = [0; 3];
        for table in &folder.closed {
            for _ in 0..150 {
                let position = random_position(&mut seed, table);
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
}

#[test]
fn distances_agree_with_those_after_the_best_move() {
    for folder in folders() {
        let tables = folder.open();
        let mut seed = 5;
        let mut seen = 0;
        for table in folder.closed.iter().filter(|name| folder.has(&format!("{name}.rtbz"))) {
            for _ in 0..60 {
                let position = random_position(&mut seed, table);
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

/// A folder of this test's own, empty.
fn temporary(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tabiya-syzygy-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn folders_without_whole_tables_are_refused() {
    let folder = temporary("refused");
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
    std::fs::remove_dir_all(&folder).expect("a folder to remove");
    assert_eq!(open("/nowhere/at/all"), TablebaseError::NoFolder("/nowhere/at/all".to_owned()));
}
