//! Game trees: what is written is read as the same, however deep and however odd.

use tabiya_chess::pgn::{GameResult, GameTree, Nag, NodeId, TreeError, read_trees};
use tabiya_chess::rng::Rng;
use tabiya_chess::{Position, chess960};

fn random_text(rng: &mut Rng) -> String {
    let words = [
        "good",
        "[%eval -0.31]",
        "[%clk",
        "0:01:02]",
        "",
        "  ",
        "a{b",
        "c}d",
        "(1.",
        "e4)",
        ";x",
        "%y",
        "ü",
        "\n",
        "[Event \"x\"]",
        "\r\n\r\n[White \"y\"]",
        "\"",
        "\\",
        "$1",
        "1-0",
        "averyveryverylongwordthatneedsalineofitsown",
    ];
    let count = rng.below(25);
    (0..count).map(|_| words[rng.below(words.len())]).collect::<Vec<_>>().join(" ")
}

/// A game that branches anywhere, and how many variations it has within each other: up to 30.
fn random_tree(rng: &mut Rng) -> (GameTree, usize) {
    let start = match rng.below(3) {
        0 => chess960::start(rng.below(960) as u16).unwrap(),
        _ => Position::INITIAL,
    };
    let mut tree = GameTree::new(start);
    tree.result = GameResult::ALL[rng.below(4)];
    for name in ["White", "Event", "Annotator", "ECO", "x_1"] {
        if rng.below(2) == 0 {
            let value = random_text(rng);
            tree.set_tag(name, &value).unwrap();
        }
    }
    // Each line: the node where it continues, and its variation depth.
    let mut lines = vec![(NodeId::ROOT, 0)];
    if rng.below(8) == 0 {
        // A stair: each variation branches off the first move of the one before.
        let mut node = NodeId::ROOT;
        for depth in 1..=30 {
            let moves = tree.node(node).unwrap().position().legal_moves();
            let &[main, .., variation] = moves.as_slice() else { break };
            tree.add_move(node, main).unwrap();
            node = tree.add_move(node, variation).unwrap();
            lines.push((node, depth));
        }
    }
    let mut deepest = lines.len() - 1;
    for _ in 0..rng.below(120) {
        let at = rng.below(lines.len());
        let (node, depth) = lines[at];
        let position = *tree.node(node).unwrap().position();
        let moves = position.legal_moves();
        let new = match (moves.is_empty(), rng.below(40)) {
            (false, 1..) => tree.add_move(node, moves[rng.below(moves.len())]).unwrap(),
            _ => match tree.add_null(node) {
                Ok(new) => new,
                Err(_) => continue,
            },
        };
        let is_variation = tree.node(node).unwrap().children().len() > 1;
        if is_variation && rng.below(3) == 0 {
            let text = random_text(rng);
            tree.add_comment_before(new, &text).unwrap();
        }
        let depth = depth + usize::from(is_variation);
        deepest = deepest.max(depth);
        if rng.below(3) > 0 && depth < 30 {
            // The line it left may continue elsewhere: that is a variation.
            lines.push((new, depth));
        } else {
            lines[at] = (new, depth);
        }
        while rng.below(3) == 0 {
            tree.add_nag(new, Nag(rng.below(256) as u8)).unwrap();
        }
        while rng.below(4) == 0 {
            let text = random_text(rng);
            tree.add_comment(new, &text).unwrap();
        }
    }
    if rng.below(3) == 0 {
        let text = random_text(rng);
        tree.add_comment(NodeId::ROOT, &text).unwrap();
    }
    (tree, deepest)
}

#[test]
fn two_thousand_trees_survive_being_written_and_read() {
    let mut rng = Rng::from_seed(0x5eed_5eed_5eed_5eed);
    let mut file = String::new();
    let mut trees = Vec::new();
    let mut deep = 0;
    for _ in 0..2_000 {
        let (tree, depth) = random_tree(&mut rng);
        deep += usize::from(depth >= 30);
        let text = tree.to_string();
        let read = read_trees(text.as_bytes());
        assert_eq!(read.len(), 1, "{text}");
        let read = read[0].as_ref().unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(*read, tree, "{text}\n{read}");
        assert_eq!(read.to_string(), text);
        file += &text;
        file.push('\n');
        trees.push(tree);
    }
    let read: Vec<GameTree> = read_trees(file.as_bytes()).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, trees);
    assert!(deep >= 100, "only {deep} trees with 30 variations within each other");
}

#[test]
fn lines_have_at_most_79_bytes_unless_a_word_is_longer() {
    let mut tree = GameTree::default();
    let mut node = NodeId::ROOT;
    for san in
        ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7"].iter().cycle().take(10)
    {
        node = tree.add_san(node, san).unwrap();
        tree.add_comment(node, "some words about this move that make a line longer").unwrap();
    }
    let text = tree.to_string();
    assert!(text.lines().all(|line| line.len() <= 79), "{text}");
    assert!(text.lines().filter(|line| line.len() > 60).count() > 5, "{text}");
    assert_eq!(read_trees(text.as_bytes()), [Ok(tree)]);
}

#[test]
fn the_export_format_is_what_the_standard_shows() {
    let text = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A \\\"B\\\"\"]\n\
        [Black \"?\"]\n[Result \"1-0\"]\n[ECO \"C20\"]\n\n\
        { Begin } 1. e4 $1 { King's pawn } (1. d4 d5 (1... Nf6 $5) 2. c4) (1. c4) 1... e5 2. -- Nc6 1-0\n";
    let text = text.replace("1... e5", "1...\ne5");
    let tree = read_trees(text.as_bytes()).remove(0).unwrap();
    assert_eq!(tree.to_string(), text);
    assert_eq!(tree.tag("White"), Some("A \"B\""));
    assert_eq!(tree.main_line().count(), 4);
}

#[test]
fn a_tree_is_edited_and_stays_readable() {
    let mut tree = read_trees(b"1. e4 (1. d4 { queen's pawn } d5) (1. c4) e5 *").remove(0).unwrap();
    let d4 = tree.root().children()[1];
    tree.add_comment_before(d4, "or").unwrap();
    tree.promote(d4).unwrap();
    let c4 = tree.root().children()[2];
    tree.remove(c4).unwrap();
    tree.clear_nags(d4).unwrap();
    let text = tree.to_string();
    assert!(text.ends_with("\n\n{ or } 1. d4 { queen's pawn } (1. e4 e5) 1... d5 *\n"), "{text}");
    assert_eq!(read_trees(text.as_bytes()), [Ok(tree.clone())]);
    tree.clear_comments(d4).unwrap();
    assert_eq!(tree.promote(NodeId::ROOT), Err(TreeError::Root));
    assert!(matches!(tree.set_tag("a b", ""), Err(TreeError::BadTagName(_))));
    assert!(matches!(tree.set_tag("Result", "1-0"), Err(TreeError::DerivedTag(_))));
    let m = Position::INITIAL.parse_uci("e2e4").unwrap();
    assert!(matches!(tree.add_move(d4, m), Err(TreeError::IllegalMove { .. })));
}

#[test]
fn a_hundred_thousand_nested_variations_are_built_written_and_let_go() {
    // Each variation replaces the last move by itself and adds one, so that none is like another.
    let cycle = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut deep = String::from("Nf3 Nf6 ");
    for n in 1..=100_000 {
        deep += &format!("({} {} ", cycle[n % 4], cycle[(n + 1) % 4]);
    }
    deep += &")".repeat(100_000);
    let tree = read_trees(deep.as_bytes()).remove(0).unwrap();
    let text = tree.to_string();
    assert_eq!(read_trees(text.as_bytes()), [Ok(tree)]);
}

#[test]
fn of_a_broken_game_the_moves_before_the_error_are_kept_and_the_rest_is_named() {
    let cases: &[(&str, usize, &str, &str)] = &[
        // The text, moves of the main line, the text that is not in the tree, the end as written.
        ("1. e4 e5 2. Ke3 Nf6 1-0", 2, "Ke3 Nf6 1-0", "1. e4 e5 { Unread: Ke3 Nf6 1-0 } *\n"),
        ("1. e4 foo *", 1, "foo *", "1. e4 { Unread: foo * } *\n"),
        (
            "1. e4 e5 (1... c5 2. Qh8) 2. Nf3 *",
            2,
            "Qh8) 2. Nf3 *",
            "1. e4 e5 (1... c5 { Unread: Qh8) 2. Nf3 * }) *\n",
        ),
        ("1. e4 ({ or } Zz) e5 *", 1, "Zz) e5 *", "1. e4 { or } { Unread: Zz) e5 * } *\n"),
        (
            "[Result \"1-0\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0",
            0,
            "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0",
            "{ Unread: [FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]  1. e4 1-0 } 1-0\n",
        ),
    ];
    for (text, moves, unread, written) in cases {
        let follower = "\n\n[Event \"next\"]\n\n1. d4 *\n";
        let whole = format!("{text}{follower}");
        let mut games = read_trees(whole.as_bytes());
        assert_eq!(games.len(), 2, "{text}");
        assert!(games[1].is_ok(), "{text}");
        let broken = games.remove(0).unwrap_err();
        assert_eq!(broken.tree.main_line().count(), *moves, "{text}");
        assert_eq!(&whole[broken.unread.clone()], *unread, "{text}");
        let tree = broken.with_unread(whole.as_bytes());
        let text = tree.to_string();
        assert!(text.ends_with(written), "{text}");
        assert_eq!(read_trees(text.as_bytes()), [Ok(tree)]);
    }
}

#[test]
fn a_game_of_millions_of_moves_is_read_as_far_as_there_is_room() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(250_000);
    let text = format!("[Event \"a\"]\n\n{moves}*\n\n[Event \"b\"]\n\n1. e4 *\n");
    let mut games = read_trees(text.as_bytes());
    assert!(games[1].is_ok());
    let broken = games.remove(0).unwrap_err();
    let count = broken.tree.main_line().count();
    assert!((100_000..500_000).contains(&count), "{count}");
    assert!(broken.to_string().contains("more moves and comments than fit into"), "{broken}");
    // Every move is either in the tree or in the text that is left.
    let left = text[broken.unread.clone()].split_ascii_whitespace().count();
    assert_eq!(count + left, 1_000_001);
    let comments = format!("1. e4 {} *", "{}".repeat(2_000_000));
    assert!(read_trees(comments.as_bytes())[0].is_err());
}
