//! PGN as it occurs: what is tolerated, what is refused, and that one bad game costs no other.

use tabiya_chess::pgn::{
    self, GameResult, Nag, Next, PgnError, PgnProblem, Replay, TagValue, Token, Visitor, Watcher,
};
use tabiya_chess::rng::Rng;
use tabiya_chess::{Move, Position, San};

/// A log of all visitor calls, one line each.
#[derive(Default)]
struct Log(Vec<String>);

impl Visitor for Log {
    fn begin_game(&mut self, offset: usize) -> Next {
        self.0.push(format!("game at {offset}"));
        Next::Go
    }
    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        self.0.push(format!("{}={}", pgn::decode(name.text), value.text()));
        Next::Go
    }
    fn san(&mut self, _: San, token: Token<'_>) -> Next {
        self.0.push(pgn::decode(token.text).into_owned());
        Next::Go
    }
    fn comment(&mut self, comment: Token<'_>) -> Next {
        self.0.push(format!("{{{}}}", pgn::decode(comment.text)));
        Next::Go
    }
    fn nag(&mut self, nag: Nag) -> Next {
        self.0.push(nag.to_string());
        Next::Go
    }
    fn begin_variation(&mut self, _: usize) -> Next {
        self.0.push("(".to_owned());
        Next::Go
    }
    fn end_variation(&mut self) -> Next {
        self.0.push(")".to_owned());
        Next::Go
    }
    fn result(&mut self, result: GameResult) {
        self.0.push(result.to_string());
    }
    fn error(&mut self, offset: usize, problem: PgnProblem) {
        self.0.push(format!("error at {offset}: {problem}"));
    }
    fn end_game(&mut self) {
        self.0.push("end".to_owned());
    }
}

/// The visitor calls of a text, without game starts and ends.
fn visited(text: &[u8]) -> String {
    let mut log = Log::default();
    pgn::read(text, &mut log);
    log.0.retain(|line| !line.starts_with("game at") && line != "end");
    log.0.join(" ")
}

fn games(text: &[u8]) -> usize {
    let mut log = Log::default();
    pgn::read(text, &mut log);
    let begun = log.0.iter().filter(|line| line.starts_with("game at")).count();
    assert_eq!(begun, log.0.iter().filter(|line| *line == "end").count());
    begun
}

#[test]
fn every_tolerance_of_the_list_is_granted() {
    let cases: &[(&[u8], &str)] = &[
        (b"\xef\xbb\xbf[White \"A\"]\n\n1. e4 *", "White=A e4 *"),
        (b"[White \"A\"]\r\n\r\n1. e4\r\ne5 *\r\n", "White=A e4 e5 *"),
        (b"[White \"R\xe9ti\"]\n\n{\xfcber} *", "White=Réti {über} *"),
        (b"% escaped\n[White \"A\"]\n% e4\n\n% d4\n1. c4\n% e5\nc5 *", "White=A c4 c5 *"),
        (b"1. e4 ; the best\n1... e5 *", "e4 { the best} e5 *"),
        (b"1. e4 { a { b } c } e5 *", "e4 { a { b } c } e5 *"),
        (b"1. e4 { :-{ } e5 { ok } *", "e4 { :-{ } e5 { ok } *"),
        (b"1. e4 (1. d4 (1. c4 (1. b4)) 1... d5) e5 *", "e4 ( d4 ( c4 ( b4 ) ) d5 ) e5 *"),
        (b"1. e4 e5", "e4 e5"),
        (b"[White \"A\"]\n1. e4\n[White \"B\"]\n1. d4", "White=A e4 White=B d4"),
        (b"[White \"A \"big\" one\"]\n[Black  \"B\" ]\n*", "White=A \"big\" one Black=B *"),
        (b"[White \"A\\\"B\\\\\"][Black \"C\"] *", "White=A\"B\\ Black=C *"),
        (b"[White \"no end\n[Black \"no bracket\"\n\n*", "White=no end Black=no bracket *"),
        (b"[White \"A\"]\n\n[Black \"B\"]\n\n1. e4 *", "White=A Black=B e4 *"),
        (b"1. e4 -- 2. Z0 *", "e4 -- Z0 *"),
        (b"e4 e5 Nf3 *", "e4 e5 Nf3 *"),
        (b"1.e4 1...e5 2 . Nf3 2. ... Nc6 *", "e4 e5 Nf3 Nc6 *"),
        (b"1. 0-0 O-O 2. 0-0-0 o-o-o *", "0-0 O-O 0-0-0 o-o-o *"),
        (b"1. e4!? e5?? 2. Nf3 $14 ! Nc6 +- *", "e4 $5 e5 $4 Nf3 $14 $1 Nc6 $18 *"),
        (b"1. exd6 e.p. exd6e.p. e8Q e8(Q) e8=Q+!! *", "exd6 exd6e.p. e8Q e8(Q) e8=Q+ $3 *"),
        (b"1. e4 1/2-1/2 {drawn} $1 *", "e4 1/2-1/2 {drawn} $1"),
        (b"1. e4 (1. d4 1-0) e5 0-1", "e4 ( d4 ) e5 0-1"),
        (b"{about the file}\n[White \"A\"]\n\n1. e4 *", "White=A e4 *"),
        (b"{about the game} 1. e4 *", "{about the game} e4 *"),
        (b"1. e4 $300 e5 $ Nf3 *", "e4 e5 Nf3 *"),
        // Line ends of carriage returns alone.
        (b"[White \"A\"]\r\r1. e4 ; best\re5\r%x\r*\r", "White=A e4 { best} e5 *"),
        (b"1. e4\r[White \"B\"]\r1. d4", "e4 White=B d4"),
        // Tags with blanks and comments around them.
        (b"[ White \"A\" ]\n[Black\n\"B\"\n]\n\n*", "White=A Black=B *"),
        (b"1. e4\n\n [White \"B\"]\n\n1. d4 *", "e4 White=B d4 *"),
        (b"1. e4\n\t[White \"B\"]\n1. d4 *", "e4 White=B d4 *"),
        (b"[Event \"a\"]\n;c\n[Site \"b\"]\n\n1. e4 *", "Event=a Site=b {c} e4 *"),
        (b"[Event \"a\"]\n{c}\n{d}\n[Site \"b\"]\n*", "Event=a Site=b {c} {d} *"),
        (b"[Event \"a\"]\n{c}\n[Event \"b\"]\n*", "Event=a {c} Event=b *"),
        (b"[Event \"a\"]\n{c}\n\n[Site \"b\"]\n*", "Event=a {c} Site=b *"),
        (b"[Event \"a\"] {c} 1. e4 *", "Event=a {c} e4 *"),
        // Marks and blanks from outside ASCII.
        ("e4 *\n\n\u{feff}[White \"B\"]\n\n\u{feff}d4 *".as_bytes(), "e4 * White=B d4 *"),
        (
            "1.\u{a0}e4\u{a0}e5 2.\u{2009}Nf3\u{200b} \u{200e}Nc6 *".as_bytes(),
            "e4 e5 Nf3\u{200b} Nc6 *",
        ),
        (b"1.\xa0e4\xa0e5\xa0\xa0*", "e4 e5 *"),
        (
            "1.♘f3 ♞f6 2. ♙e4 1… e5‼ N\u{200b}c3⁉ *".as_bytes(),
            "♘f3 ♞f6 ♙e4 e5‼ $3 N\u{200b}c3⁉ $5 *",
        ),
        ("1. e4 ‼ e5 ⁇ Nf3 △ *".as_bytes(), "e4 $3 e5 $4 Nf3 {△} *"),
        ("1. O–O 0–0 e2—e4 e4×d5 *".as_bytes(), "O–O 0–0 e2—e4 e4×d5 *"),
        // Results.
        ("1. e4 ½-½".as_bytes(), "e4 1/2-1/2"),
        ("1. e4 ½–½\n\n1. d4 1–0".as_bytes(), "e4 1/2-1/2 d4 1-0"),
        (b"1. e4 \xbd-\xbd", "e4 1/2-1/2"),
        (b"1. e4 1:0 1. d4 0:1", "e4 1-0 d4 0-1"),
        (b"1. e4 White resigns 0-1", "e4 {White} {resigns} 0-1"),
        (b"1. e4 0-1 Draw agreed.\n\n1. d4 *", "e4 0-1 {Draw} {agreed.} d4 *"),
        // Moves and what stands behind them.
        (b"1. e2e4 e7e8q g1f3 0000 @@@@ *", "e2e4 e7e8q g1f3 0000 @@@@ *"),
        (b"1. Qh5ch Qh5 ch Qxf7mate Nf3, e4. *", "Qh5ch Qh5 Qxf7mate Nf3, e4. *"),
        (
            b"1. Nf3+- e4= Nf3!+- d4?! e4!?! exd6ep *",
            "Nf3+- $18 e4= $10 Nf3!+- $1 $18 d4 $6 e4 exd6ep *",
        ),
        (b"1. N1-f3 N:f3 e8/Q 10. Nc3 *", "N1-f3 N:f3 e8/Q Nc3 *"),
    ];
    for (text, expected) in cases {
        assert_eq!(visited(text), *expected, "{}", pgn::decode(text));
    }
}

#[test]
fn results_tags_and_the_end_of_the_text_end_games() {
    assert_eq!(games(b""), 0);
    assert_eq!(games(b" \n% nothing\n\n{nothing}\n"), 0);
    assert_eq!(games(b"1. e4 1-0 1. d4 0-1\n\n1. c4"), 3);
    assert_eq!(games(b"[Event \"a\"]\n\n[Event \"b\"]\n\n[Event \"c\"]\n"), 3);
    assert_eq!(games(b"[White \"a\"]\n\n1. e4 {open\n\n[White \"b\"]\n\n1. d4 *"), 2);
    assert_eq!(games(b"1. e4 e5 2. Nf3 *\n\n\n\n"), 1);
}

#[test]
fn what_is_no_pgn_is_reported_with_its_position() {
    let cases: &[(&[u8], &str)] = &[
        (b"1. e4 foo e5 *", "e4 error at 6: 'foo' means nothing here"),
        (b"1. e4 ) e5 *", "e4 error at 6: ')' without '('"),
        (b"1. e4 } e5 *", "e4 error at 6: '}' without '{'"),
        (b"1. e4 { e5 *", "e4 error at 6: the comment is not closed"),
        (b"1. e4 (1. d4 (1. c4 *", "e4 ( d4 ( c4 error at 21: 2 variation(s) not closed"),
    ];
    for (text, expected) in cases {
        assert_eq!(visited(text), *expected, "{}", pgn::decode(text));
    }
}

/// Skips games without White's name, and all variations.
struct Picky(Vec<String>);

impl Visitor for Picky {
    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        if name.text == b"White" && value.raw() == b"?" { Next::Skip } else { Next::Go }
    }
    fn san(&mut self, _: San, token: Token<'_>) -> Next {
        self.0.push(pgn::decode(token.text).into_owned());
        Next::Go
    }
}

#[test]
fn games_and_variations_are_skipped_whole() {
    let text = b"[White \"?\"]\n\n1. e4 (1. d4 { 1-0 ) ) } junk) e5 { [White ] } 1-0\n\n\
        [White \"A\"]\n\n1. c4 (1. b4 { ) } (1. a4)) c5 (bad ;)\n) *\n\n[White \"?\"]\n1. Nf3 *";
    let mut picky = Picky(Vec::new());
    pgn::read(text, &mut picky);
    assert_eq!(picky.0, ["c4", "c5"]);
}

/// Counts moves of main lines and keeps the errors.
#[derive(Default)]
struct Check {
    games: usize,
    moves: usize,
    last: Option<Position>,
    errors: Vec<PgnError>,
}

impl Watcher for Check {
    fn played(&mut self, _: &Position, _: Move, after: &Position) -> Next {
        self.moves += 1;
        self.last = Some(*after);
        Next::Go
    }
    fn begin_variation(&mut self, _: &Position) -> Next {
        Next::Go
    }
    fn error(&mut self, error: PgnError) {
        self.errors.push(error);
    }
    fn end_game(&mut self) {
        self.games += 1;
    }
}

fn check(text: &[u8]) -> Check {
    let mut replay = Replay::new(Check::default());
    pgn::read(text, &mut replay);
    replay.into_watcher()
}

#[test]
fn a_bad_game_is_reported_and_the_next_one_read() {
    let text = b"[White \"a\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n\n[White \"b\"]\n\n1. d4 d5 *\n\n\
        [FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
        [White \"c\"]\n\n1. e4 {\n\n[White \"d\"]\n\n1. c4 *";
    let found = check(text);
    let errors: Vec<String> = found.errors.iter().map(PgnError::to_string).collect();
    assert_eq!(
        errors,
        [
            "game 1, byte 25, move 2.Ke3: 'Ke3': no king can go to e3",
            "game 3, byte 62: tag FEN: no legal position: White has no king; Black has no king",
            "game 4, byte 106: tag Variant: the rules of 'Atomic' are not known",
            "game 5, byte 153: the comment is not closed",
        ]
    );
    assert_eq!((found.games, found.moves), (6, 6));
}

#[test]
fn games_from_positions_and_in_chess960_begin_where_their_tags_say() {
    let end = |text: &str| check(text.as_bytes()).last.map(|position| position.fen());
    let shredder =
        "[Variant \"fischerandom\"]\n[FEN \"4k3/8/8/8/8/8/8/RK5R w HA - 0 1\"]\n\n1. O-O *";
    assert_eq!(end(shredder).as_deref(), Some("4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"));
    let black = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 5 40\"]\n\n40... Kd7 *";
    assert_eq!(end(black).as_deref(), Some("8/3k4/8/8/8/8/8/4K3 w - - 6 41"));
    let lenient = "[FEN \"4k3/8/8/8/8/8/8/4K2R w KQkq -\"]\n\n1. 0-0 *";
    assert_eq!(end(lenient).as_deref(), Some("4k3/8/8/8/8/8/8/5RK1 b - - 1 1"));
}

#[test]
fn moves_by_their_squares_are_those_of_whatever_stands_there() {
    let end = |text: &str| {
        let found = check(text.as_bytes());
        assert_eq!(found.errors, [], "{text}");
        found.last.map(|position| position.fen())
    };
    let uci = "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 (3. f1c4 g8f6) 3... g8f6 4. e1g1 f6e4 *";
    let san = "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 *";
    assert_eq!(end(uci), end(san));
    let promotion = "[FEN \"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. e7e8q *";
    assert_eq!(end(promotion).as_deref(), Some("4Q3/6k1/8/8/8/8/8/4K3 b - - 0 1"));
    let refused = check(b"1. g1g3 *").errors;
    assert_eq!(refused[0].to_string(), "game 1, byte 3, move 1.g1g3: 'g1g3': no pawn can go to g3");
}

#[derive(Default)]
struct Results(Vec<String>);

impl Watcher for Results {
    fn result(&mut self, result: GameResult) {
        self.0.push(result.to_string());
    }
    fn result_conflict(&mut self, conflict: PgnError) {
        self.0.push(conflict.to_string());
    }
    fn error(&mut self, _: PgnError) {
        self.0.push("error".to_owned());
    }
}

#[test]
fn the_tag_overrides_the_termination_marker_and_a_disagreement_is_reported() {
    let cases = [
        ("[Result \"0-1\"]\n\n1. e4 *", "0-1"),
        ("[Result \"0-1\"]\n\n1. e4", "0-1"),
        ("[Result \"0-1\"]\n\n1. e4 0-1", "0-1"),
        ("[Result \"*\"]\n\n1. e4 0-1", "0-1"),
        ("[Result \"?\"]\n\n1. e4 1/2", "1/2-1/2"),
        ("[Result \" ½-½ \"]\n\n1. e4 *", "1/2-1/2"),
        ("1. e4 1-0", "1-0"),
        ("1. e4", "*"),
        ("[Result \"0-1\"]\n\n1. e5 1-0", "error, 0-1"),
        (
            "[White \"A\"]\n[Result \"0-1\"]\n\n1. e4 1-0",
            "game 1, byte 13: the tag Result is 0-1, but the moves end with 1-0; the tag counts, 0-1",
        ),
    ];
    for (text, expected) in cases {
        let mut replay = Replay::new(Results::default());
        pgn::read(text.as_bytes(), &mut replay);
        assert_eq!(replay.watcher().0.join(", "), expected, "{text}");
    }
}

#[test]
fn variations_go_back_to_where_they_began() {
    let found = check(b"1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 2. -- (2. Nf3) 2... Nc6 *");
    assert_eq!(found.errors, []);
    let end = found.last.unwrap().fen();
    assert_eq!(end, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 2 3");
}

#[test]
fn a_hundred_thousand_open_variations_are_read_or_refused_but_never_too_much() {
    let deep = "1. e4 ".to_owned() + &"(1. e4 ".repeat(100_000) + &")".repeat(100_000) + " e5 *";
    let found = check(deep.as_bytes());
    assert_eq!((found.errors.len(), found.moves), (0, 100_002));
    let open = "1. e4 ".to_owned() + &"(1. e4 ".repeat(100_000);
    assert_eq!(check(open.as_bytes()).errors[0].problem, PgnProblem::UnclosedVariation(100_000));
    let bare = "(".repeat(100_000);
    assert_eq!(check(bare.as_bytes()).errors[0].problem, PgnProblem::VariationOfNothing);
    let too_deep = "1. e4 ".to_owned() + &"(1. e4 ".repeat(pgn::MAX_DEPTH + 10);
    assert_eq!(check(too_deep.as_bytes()).errors[0].problem, PgnProblem::TooDeep(pgn::MAX_DEPTH));
    let braces = "{".repeat(1_000_000) + "}";
    assert_eq!(check(braces.as_bytes()).errors.len(), 0);
}

#[test]
fn a_text_cut_at_its_borders_reads_as_the_same_games() {
    let pieces = [
        "[Event \"a\"]\n",
        "[White \"b\"]\n",
        "\n",
        " \n",
        "1. e4 e5 ",
        "2. Nf3 {note} ",
        "*\n",
        "1-0\n",
        "{ open ",
        "} ",
        "( ",
        ") ",
        "; line\n",
        "% escape\n",
        "[Black \"x\"",
        "]\n",
        "\r\n",
        "junk ",
        "\r",
        "\u{feff}",
        " [Event \"i\"]\n",
        "[ Site\n\"n\" ]\n",
        "{{} ",
        "½-½ ",
    ];
    let mut rng = Rng::from_seed(99);
    for _ in 0..6_000 {
        let text: String = (0..rng.below(60)).map(|_| pieces[rng.below(pieces.len())]).collect();
        let text = text.as_bytes();
        let mut whole = Log::default();
        pgn::read(text, &mut whole);
        // Offsets differ, of course.
        let strip = |log: Log| -> Vec<String> {
            let cut = |line: String| match line.split_once(" at ") {
                Some((what, rest)) => {
                    format!("{what} {}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
                }
                None => line,
            };
            log.0.into_iter().map(cut).collect()
        };
        let mut parts = Log::default();
        let mut from = 0;
        while let Some(at) = pgn::border::first(&text[from..], 1) {
            pgn::read(&text[from..from + at], &mut parts);
            from += at;
        }
        pgn::read(&text[from..], &mut parts);
        let whole = strip(whole);
        assert_eq!(strip(parts), whole, "{:?}", pgn::decode(text));
        // At each border alone, too.
        for at in (1..text.len()).filter(|&at| pgn::border::is_border(text, at)) {
            let mut parts = Log::default();
            pgn::read(&text[..at], &mut parts);
            pgn::read(&text[at..], &mut parts);
            assert_eq!(strip(parts), whole, "{at} in {:?}", pgn::decode(text));
        }
    }
}
