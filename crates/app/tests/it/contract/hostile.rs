//! More than a hundred inputs that kill engines, each with the reason: those of `data/hostile.txt`,
//! and some that are too long or too strange to be written down.

use std::fmt::Write;

/// An input and what must come of it.
pub struct Case {
    /// What it is.
    pub name: &'static str,
    /// Why engines die of it.
    pub why: &'static str,
    /// What is sent, line by line.
    pub lines: Vec<u8>,
    /// What must be answered, besides staying alive.
    pub answer: Answer,
}

/// What an input must be answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An error, and `bestmove (none)` to every `go`.
    Refused,
    /// An error for what is wrong, and this many moves, each legal.
    Corrected(usize),
    /// No error, and this many moves, each legal; none where there is none.
    Moves(usize),
    /// Nothing but life.
    Life,
}

use Answer::{Corrected, Life, Moves, Refused};

const QUEENS_EVERYWHERE: &str = "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/K6k";
const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

/// All of them.
pub fn cases() -> Vec<Case> {
    let rows = include_str!("../data/hostile.txt").lines();
    let rows = rows.filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(case).chain(made()).collect()
}

fn case(row: &'static str) -> Case {
    let [answer, name, why, lines] = row.split(" | ").collect::<Vec<_>>()[..] else {
        panic!("{row}")
    };
    let answer = match answer.split_once(' ') {
        None if answer == "refused" => Refused,
        None if answer == "alive" => Life,
        Some(("moves", n)) => Moves(n.parse().expect("a number of moves")),
        Some(("corrected", n)) => Corrected(n.parse().expect("a number of moves")),
        _ => panic!("{row}"),
    };
    Case { name, why, lines: lines.replace(" ⏎ ", "\n").into_bytes(), answer }
}

/// Those that no text file holds.
fn made() -> Vec<Case> {
    let case = |name, why, lines: Vec<u8>, answer| Case { name, why, lines, answer };
    let text = |name, why, lines: String, answer| case(name, why, lines.into_bytes(), answer);
    let mut all_bytes: Vec<u8> = (0..=255).filter(|&b| b != b'\n').collect();
    all_bytes.extend(b"\nposition fen \xff\xfe\xfd w - - 0 1\n\x80\x81go\xc3\n");
    let mut shuffled = "position startpos moves".to_owned();
    for _ in 0..1475 {
        shuffled.push_str(" g1f3 g8f6 f3g1 f6g8");
    }
    let mut overlong = "position startpos moves".to_owned();
    while overlong.len() < 2 << 20 {
        overlong.push_str(" e2e4");
    }
    let mut many_options = String::new();
    for n in 0..300 {
        let _ = writeln!(many_options, "setoption name Move Overhead value {n}\nucinewgame");
    }
    vec![
        case("every byte there is", "text that is no UTF-8", all_bytes, Life),
        case(
            "NUL, carriage returns and tabs",
            "C strings end at NUL; a token is 'startpos\\r'",
            b"\0\0\0\nposition\tstartpos\tmoves\te2e4\r\n  go\t depth \t3 \r\n\r\n".to_vec(),
            Moves(1),
        ),
        text(
            "a FEN of 100,000 letters",
            "copied to a buffer of 128",
            format!("position fen {} w - - 0 1\ngo depth 3", "p".repeat(100_000)),
            Refused,
        ),
        text(
            "a line of a mebibyte",
            "a buffer on the stack",
            format!("{}\n", "x".repeat((1 << 20) - 2)),
            Corrected(0),
        ),
        text(
            "a line of two mebibytes",
            "the rest of it is taken for another command",
            format!("position startpos\n{overlong}\ngo depth 3"),
            Corrected(1),
        ),
        text(
            "a game of 5,900 plies",
            "the list of positions has room for 1,024",
            format!("{shuffled}\ngo depth 3"),
            Moves(1),
        ),
        text(
            "218 moves in one position",
            "the list of moves has room for fewer",
            format!("setoption name MultiPV value 218\nposition fen {MOST_MOVES}\ngo depth 1"),
            Moves(1),
        ),
        text(
            "48 queens against a bare king",
            "attacks are added up past the end of a table",
            format!("position fen {QUEENS_EVERYWHERE} w - - 0 1\ngo nodes 100"),
            Life,
        ),
        text(
            "300 new games at once",
            "each clears the table, and isready waits for all",
            many_options,
            Moves(0),
        ),
        text(
            "castling as the king taking the rook",
            "Chess960 castling is a capture of one's own rook to others",
            "setoption name UCI_Chess960 value true\n\
             position fen 1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1 moves c1h1 c8b8\ngo depth 4"
                .to_owned(),
            Moves(1),
        ),
        text(
            "a book that never ends",
            "a device is read to its end, and it has none",
            "genfens 2 seed 1 book /dev/zero\ngenfens 1 seed 1 book /\n\
             genfens\ngenfens x\ngenfens 1 seed\ngenfens 1 seed -1"
                .to_owned(),
            Corrected(0),
        ),
        text(
            "every command without its words",
            "each reads a token that is not there",
            "debug\nregister\nposition\nsetoption\nponderhit\nstop\nd\neval\nwait\ngenfens\nposition startpos"
                .to_owned(),
            Corrected(0),
        ),
        text(
            "wait in mid-search",
            "waits for a search that only the next line would end",
            "position startpos\ngo infinite\nwait\nisready\nstop".to_owned(),
            Life,
        ),
    ]
}
