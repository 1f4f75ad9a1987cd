//! Play with tablebases: the protocol, several engines, damaged files, and moves ranked at the root.

use chess::rng::Rng;
use chess::{Game, Outcome, Position};
use tabiya_engine::search::{Control, Engine, Limits, RootMove, Settings, with_deep_stack};
use tabiya_engine::syzygy::{Tablebases, Wdl};
use tabiya_engine::value;

use crate::tables::{TableDir, all, random_position, small, with_clock};
use crate::talk::Talk;

/// The last line with a score of a search.
fn search(talk: &mut Talk, position: &str, go: &str) -> String {
    talk.ask(&format!("position fen {position}"));
    let output = talk.ask(go);
    output.into_iter().rev().find(|line| line.contains(" score ")).expect("a score")
}

/// The number after a word of a line.
fn number(line: &str, word: &str) -> i64 {
    let mut words = line.split(' ').skip_while(|&w| w != word);
    words.nth(1).expect(word).parse().expect("a number")
}

#[test]
fn tablebase_results_are_reported_in_the_protocol() {
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
        let last = search(&mut talk, position, "go depth 8");
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
fn engines_of_one_process_use_different_directories() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path();
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
        assert!(number(&search(&mut queen, queen_ending, "go depth 2"), "tbhits") > 0);
        assert_eq!(number(&search(&mut queen, rook_ending, "go depth 2"), "tbhits"), 0);
        assert!(number(&search(&mut all, queen_ending, "go depth 2"), "tbhits") > 0);
        assert!(number(&search(&mut all, rook_ending, "go depth 2"), "tbhits") > 0);
    }
    // Several folders are one set.
    let separator = if cfg!(windows) { ';' } else { ':' };
    let both = Tablebases::open(&format!("{path}{separator}{}", small().path())).expect("both");
    assert_eq!(both.max_pieces(), 4);
}

#[test]
fn a_damaged_file_is_reported_and_the_others_are_used() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path();
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
    let queen = search(&mut talk, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "go depth 4");
    assert_eq!(number(&queen, "tbhits"), 0, "{queen}");
    let rook = search(&mut talk, "8/8/8/3k4/8/8/8/KR6 w - - 0 1", "go depth 4");
    assert!(number(&rook, "tbhits") > 0 && number(&rook, "cp") > 19_800, "{rook}");
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

fn check_mates(folder: &TableDir) {
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

#[test]
fn won_endings_are_mated_within_fifty_moves() {
    check_mates(&small());
}

#[test]
fn results_without_distances_are_enough_to_keep_a_win() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path();
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
        assert_eq!(root.tablebase_score.is_some_and(value::is_decided), result == Wdl::Loss);
    }
    with_deep_stack(|| {
        let mut engine = Engine::new(4).expect("memory");
        engine.set_tablebases(Some(tables));
        mate(&mut engine, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
    })
    .expect("see above");
}

/// All moves of a game's position, ranked.
fn ranked(tables: &Tablebases, game: &Game) -> Vec<RootMove> {
    let mut moves: Vec<_> = game.position().legal_moves().into_iter().map(RootMove::new).collect();
    tables.rank_root(game, &mut moves);
    moves
}

fn check_wins_by_rank(folder: &TableDir) {
    let tables = folder.open();
    let mut rng = Rng::from_seed(17);
    let mut won = 0;
    for table in folder.closed.iter().filter(|name| folder.has(&format!("{name}.rtbz"))) {
        for _ in 0..40 {
            let position = random_position(&mut rng, table);
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
                let decided = best.tablebase_score.is_some_and(value::is_decided);
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

#[test]
fn wins_just_inside_the_fifty_move_rule_are_won_by_rank_alone() {
    check_wins_by_rank(&small());
}

#[test]
fn a_win_beyond_the_fifty_move_rule_is_ranked_as_nearly_drawn() {
    let tables = small().open();
    let position: Position = "8/8/8/3k4/8/8/8/KR6 w - - 0 1".parse().expect("a position");
    let dtz = tables.dtz(&position).expect("a distance").plies;
    for (clock, decided) in [(0, true), (99 - dtz, true), (101 - dtz, false), (98, false)] {
        let moves = ranked(&tables, &Game::new(with_clock(&position, clock as u16)));
        let score = moves[0].tablebase_score.expect("a score");
        assert_eq!(value::is_decided(score), decided, "{clock}: {score}");
        assert!(score > 0, "{clock}: {score}");
    }
    // The other player is lost only while there is time.
    let lost: Position = "8/8/8/3k4/8/8/1R6/K7 b - - 0 1".parse().expect("a position");
    let dtz = -tables.dtz(&lost).expect("a distance").plies;
    for (clock, decided) in [(0, true), (101 - dtz, false)] {
        let moves = ranked(&tables, &Game::new(with_clock(&lost, clock as u16)));
        let score = moves[0].tablebase_score.expect("a score");
        assert_eq!(value::is_decided(score), decided, "{clock}: {score}");
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
            game.play(m).expect("a legal move");
        }
    }
    assert_eq!(rank(&game), (0, Some(value::DRAW)));
    assert!(ranked(&tables, &game)[0].tablebase_score.is_some_and(value::is_decided));
}

/// All tables of three and four pieces.
mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs all tables of four pieces: make test-shared"]
    fn won_endings_are_mated_within_fifty_moves() {
        check_mates(&all());
    }

    #[test]
    #[ignore = "needs all tables of four pieces: make test-shared"]
    fn wins_just_inside_the_fifty_move_rule_are_won_by_rank_alone() {
        check_wins_by_rank(&all());
    }
}
