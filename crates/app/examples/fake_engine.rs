//! A UCI engine for the tests of `tabiya match`: it plays deterministic legal moves at once, and fails on
//! demand.
//!
//! `fake_engine [WORD[=VALUE]]…`; it fails at every `go`, or with `at=N` at one of each game:
//!
//! | word | effect |
//! |---|---|
//! | `seed=N` | the random seed of its moves |
//! | `score=CP` | the score of every position |
//! | `sleep=MS` | the time of each move |
//! | `at=N` | fails at the N-th `go` of a game, from 1 |
//! | `once=FILE` | fails only if the file does not exist, and creates it |
//! | `crash` | exits with code 3 and a message |
//! | `answer=TEXT` | answers `bestmove TEXT` |
//! | `hang` | stops answering |
//! | `deaf` | searches until `stop` |
//! | `flood` | sends `info` lines without end |
//! | `noise` | sends lines outside of the protocol, and then moves |
//! | `double` | sends `bestmove` twice |
//! | `pv` | sends an illegal pv |
//! | `late-crash` | exits after its move |
//! | `mute` | does not answer `uci`; `mute=FILE`: if the file exists |
//! | `stay` | ignores `quit` |
//! | `chess960` | declares the option UCI_Chess960 |
//! | `pid=FILE` | appends its process ID to the file |

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use chess::rng::Rng;
use chess::{CastlingStyle, Move, Position, random};

struct Fake {
    words: HashMap<String, String>,
    position: Position,
    is_960: bool,
    /// The number of `go` commands in this game.
    go_count: u32,
}

fn main() {
    let words = std::env::args().skip(1).map(|arg| match arg.split_once('=') {
        Some((word, value)) => (word.to_owned(), value.to_owned()),
        None => (arg, String::new()),
    });
    let mut fake =
        Fake { words: words.collect(), position: Position::INITIAL, is_960: false, go_count: 0 };
    if let Some(path) = fake.words.get("pid") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        writeln!(file, "{}", std::process::id()).unwrap();
    }
    // Standard output is flushed at line ends.
    while let Some(line) = next_line() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("uci") if !fake.is_mute() => fake.introduce(),
            Some("isready") => println!("readyok"),
            Some("ucinewgame") => fake.go_count = 0,
            Some("setoption") => fake.is_960 |= line == "setoption name UCI_Chess960 value true",
            Some("position") => {
                let args = line.trim_start_matches("position ");
                fake.position = *uci::parse_position(args).unwrap().position();
            }
            Some("go") => fake.go(),
            Some("quit") if !fake.has("stay") => return,
            _ => {}
        }
    }
    while fake.has("stay") {
        std::thread::sleep(Duration::from_secs(1));
    }
}

impl Fake {
    fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    fn is_mute(&self) -> bool {
        let is_there = |path: &String| path.is_empty() || std::path::Path::new(path).exists();
        self.words.get("mute").is_some_and(is_there)
    }

    fn number(&self, word: &str) -> Option<u64> {
        self.words.get(word)?.parse().ok()
    }

    fn introduce(&self) {
        println!("a banner\nid name Fake 1.0\nid author nobody");
        println!("option name Hash type spin default 16 min 1 max 1024");
        println!("option name Skill Level type spin default 20 min 0 max 20");
        println!("option name Clear Hash type button");
        if self.has("chess960") {
            println!("option name UCI_Chess960 type check default false");
        }
        println!("uciok");
    }

    /// Whether this `go` is to fail.
    fn fails(&self) -> bool {
        if self.number("at").is_some_and(|at| at != u64::from(self.go_count)) {
            return false;
        }
        match self.words.get("once") {
            Some(path) => {
                std::fs::OpenOptions::new().write(true).create_new(true).open(path).is_ok()
            }
            None => true,
        }
    }

    fn go(&mut self) {
        self.go_count += 1;
        if let Some(time) = self.number("sleep") {
            std::thread::sleep(Duration::from_millis(time));
        }
        let Some(m) = self.choose() else {
            println!("bestmove (none)");
            return;
        };
        let style = if self.is_960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
        let text = self.position.uci(m, style);
        let score: i64 = self.words.get("score").and_then(|score| score.parse().ok()).unwrap_or(0);
        println!("info depth 3 seldepth 4 score cp {score} nodes 42 time 0 nps 1000 pv {text}");
        if self.has_failure() && self.fails() {
            self.fail(&text);
        } else {
            println!("bestmove {text}");
        }
    }

    fn has_failure(&self) -> bool {
        const FAILURES: [&str; 9] =
            ["crash", "answer", "hang", "deaf", "flood", "noise", "double", "pv", "late-crash"];
        FAILURES.iter().any(|word| self.has(word))
    }

    fn fail(&self, text: &str) {
        if self.has("crash") {
            eprintln!("fake: out of cheese");
            std::process::exit(3);
        }
        if let Some(answer) = self.words.get("answer") {
            println!("bestmove {answer}");
        }
        if self.has("hang") {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        if self.has("deaf") {
            while next_line().is_some_and(|line| line != "stop") {}
            println!("bestmove {text}");
        }
        while self.has("flood") {
            println!("info depth 1 score cp 1 nodes 1 pv {text}");
        }
        if self.has("noise") {
            let mut out = std::io::stdout().lock();
            out.write_all(b"\xff\xfe\x00 info depth\ninfo\ninfo pv\nbest move e2e4\n\r\n").unwrap();
            out.write_all(&vec![b'x'; 200_000]).unwrap();
            out.write_all(b"\nreadyok\nuciok\ninfo score cp depth x multipv\n").unwrap();
            writeln!(out, "  bestmove\t{text}  ponder  zzzz").unwrap();
        }
        if self.has("double") {
            println!("bestmove {text}\nbestmove {text}");
        }
        if self.has("pv") {
            println!("info depth 4 score cp 7 pv {text} {text}\nbestmove {text}");
        }
        if self.has("late-crash") {
            println!("bestmove {text}");
            std::process::exit(4);
        }
    }

    /// A mate in one if there is one, otherwise a move that depends only on position and seed.
    fn choose(&self) -> Option<Move> {
        let moves = self.position.legal_moves();
        let mates = |m: &&Move| self.position.after(**m).is_checkmate();
        if let Some(&mate) = moves.iter().find(mates) {
            return Some(mate);
        }
        let seed = self.number("seed").unwrap_or(0);
        random::legal_move(&self.position, &mut Rng::new(seed, self.position.key()))
    }
}

/// The next line of standard input.
fn next_line() -> Option<String> {
    let mut line = String::new();
    let length = std::io::stdin().read_line(&mut line).ok()?;
    (length > 0).then(|| line.trim().to_owned())
}
