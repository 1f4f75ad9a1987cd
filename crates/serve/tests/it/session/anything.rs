//! Any messages in any order, and any updates of the workers: nothing panics, and all messages to the page are
//! consistent.

use chess::pgn::read_trees;
use chess::rng::Rng;
use chess::{CastlingStyle, Move, Position};
use engine::analysis::GameAnalysis;
use pra::predict::PositionPrediction;
use serde_json::{Value, json};
use tabiya_serve::job::*;
use tabiya_serve::protocol::*;

use super::page::*;

const STEPS: usize = 20_000;

const TEXTS: [&str; 14] = [
    "",
    "e4",
    "O-O",
    "1. e4 e5 (1... c5 2. Nf3 { [%cal Ge2e4] x }) 2. Nf3 { [%eval #-3] } Nc6 1-0",
    "[Event \"x\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. a8=Q+ Kd7 2. O-O *",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1. f3 e5 2. g4 Qh4# 0-1",
    "{ [%csl Ga1] [%evil ] } ; % \u{feff} ]}{[ \\ \"",
    "1. e4 -- 2. d4 -- 3. c4 e5 *",
    "(((((",
    "\u{0}\u{1}<script>alert(1)</script>",
    "  two  blanks  [%clk 1:00:00]  and  [%cal Ge2e4,Rd1d8]  more  ",
    "[%eval",
];

struct Anything {
    rng: Rng,
    page: Client,
}

impl Anything {
    fn text(&mut self) -> String {
        match self.rng.below(8) {
            0 => "é".repeat(self.rng.below(40)),
            1 => "long ".repeat(self.rng.below(3000)),
            2 => (0..self.rng.below(30)).map(|_| char::from(self.rng.below(128) as u8)).collect(),
            _ => (*self.rng.choose(&TEXTS)).to_owned(),
        }
    }

    fn node(&mut self) -> u32 {
        let count = self.page.game.as_ref().map_or(1, |game| game.nodes.len());
        match self.rng.below(20) {
            0 => u32::MAX,
            1 => self.rng.below(100_000) as u32,
            _ => {
                let n = self.rng.below(count);
                self.page.game.as_ref().map_or(0, |game| game.nodes[n].id)
            }
        }
    }

    fn uci(&mut self) -> String {
        let legal = self.page.position.as_ref().map_or(&[][..], |position| &position.legal);
        if legal.is_empty() || self.rng.below(20) == 0 {
            return self.text();
        }
        self.rng.choose(legal).uci.clone()
    }

    fn square(&mut self) -> String {
        chess::Square::from_index_wrapping(self.rng.below(64)).to_string()
    }

    fn player(&mut self) -> Value {
        match self.rng.below(8) {
            0 => json!({ "kind": "engine", "level": self.rng.below(10) }),
            1 | 2 => json!({ "kind": "engine", "level": self.rng.below(8) }),
            3 => {
                let temperature = self.rng.next_f32() * 20.0 - 5.0;
                json!({ "kind": "model", "rating": self.rng.below(4000), "temperature": temperature })
            }
            4 => json!({ "kind": "model", "rating": 1000 + self.rng.below(1801) }),
            _ => json!({ "kind": "person" }),
        }
    }

    fn clock(&mut self) -> Value {
        match self.rng.below(4) {
            0 => {
                json!({ "initial_ms": self.rng.next_u64() >> self.rng.below(64), "increment_ms": 0 })
            }
            1 => json!({ "initial_ms": 5_000, "increment_ms": 100 }),
            _ => Value::Null,
        }
    }

    fn message(&mut self) -> Value {
        let (node, text) = (self.node(), self.text());
        match self.rng.below(64) {
            0 => self.hello(),
            1 => {
                let (white, black, clock) = (self.player(), self.player(), self.clock());
                let fen = if self.rng.below(3) == 0 { Some(text) } else { None };
                let position = self.rng.below(1000);
                let variant = *self.rng.choose(&["chess", "chess960"]);
                json!({ "type": "new_game", "variant": variant, "position": position, "fen": fen,
                        "white": white, "black": black, "clock": clock })
            }
            2 | 3 => {
                let (white, black, clock) = (self.player(), self.player(), self.clock());
                json!({ "type": "play_from", "white": white, "black": black, "clock": clock })
            }
            4 => json!({ "type": "load", "text": text }),
            5 => json!({ "type": "open", "upload": self.rng.below(3), "game": self.rng.below(3) }),
            6 => json!({ "type": "type_move", "text": text }),
            7..12 => json!({ "type": "go_to", "node": node }),
            12 => json!({ "type": "takeback" }),
            13 => json!({ "type": "hint" }),
            14 if self.rng.below(4) == 0 => json!({ "type": "resign" }),
            15 => json!({ "type": "claim_draw" }),
            16 => json!({ "type": "set_comment", "node": node, "text": text }),
            17 => {
                json!({ "type": "set_nags", "node": node, "nags": vec![self.rng.below(256); self.rng.below(12)] })
            }
            18 => {
                let shapes: Vec<Value> = (0..self.rng.below(5))
                    .map(|n| json!({ "color": *self.rng.choose(&["green", "red", "yellow", "blue"]),
                                     "from": self.square(), "to": (n % 2 == 0).then(|| self.square()) }))
                    .collect();
                json!({ "type": "set_shapes", "node": node, "shapes": shapes })
            }
            19 => json!({ "type": "promote_variation", "node": node }),
            20 => json!({ "type": "make_main_line", "node": node }),
            21 => json!({ "type": "delete_node", "node": node }),
            22 => {
                let name = *self
                    .rng
                    .choose(&["White", "Event", "Variant", "fen", "x y", "Date", "Result"]);
                json!({ "type": "set_tags", "tags": [[name, text], ["Annotator", "me"]] })
            }
            23 => json!({ "type": "get_pgn" }),
            24 | 25 => json!({ "type": "set_engine", "on": self.rng.random_bool(0.7),
                               "multipv": self.rng.below(9), "threat": self.rng.random_bool(0.5) }),
            26 | 27 => {
                let rating = (self.rng.below(2) == 0).then(|| 1000 + 600 * self.rng.below(4));
                json!({ "type": "set_model", "on": self.rng.random_bool(0.7), "rating": rating })
            }
            28 => {
                json!({ "type": "get_attention", "layer": self.rng.below(3), "head": self.rng.below(3) })
            }
            29 => {
                let uci = self.uci();
                json!({ "type": "preview", "node": node, "moves": vec![uci; self.rng.below(3)] })
            }
            30 => json!({ "type": "analyse_game", "seconds": self.rng.next_f32() }),
            31 => json!({ "type": "stop_analysis" }),
            32 => json!({ "type": "learn", "color": *self.rng.choose(&["white", "black"]) }),
            33 | 34 => json!({ "type": "learn_try", "uci": self.uci() }),
            35 => json!({ "type": "learn_show" }),
            36 => json!({ "type": "learn_next" }),
            37 => json!({ "type": "learn_end" }),
            38 => json!({ "type": "paco_takeback" }),
            _ => json!({ "type": "move", "uci": self.uci() }),
        }
    }

    fn hello(&mut self) -> Value {
        let saved = (self.rng.below(2) == 0).then(|| {
            let (white, black, clock) = (self.player(), self.player(), self.clock());
            let line = vec![self.uci(), self.uci()];
            let moves = vec![
                json!({ "score": self.rng.next_u64() as i32, "loss": self.rng.next_f32() * 3.0 - 1.0,
                        "mark": *self.rng.choose(&["?!", "??"]), "reply": [self.uci(), self.uci()],
                        "better": [[self.uci(), self.text()], 50] }),
                Value::Null,
            ];
            let report = json!({ "complete": self.rng.below(2) == 0, "start": self.rng.next_u64() as i32,
                                 "line": line, "moves": moves });
            json!({ "pgn": self.text(), "path": line, "paco": null, "report": report,
                    "play": { "white": white, "black": black, "clock": clock, "line": line,
                              "white_ms": self.rng.below(100_000), "black_ms": self.rng.below(1000),
                              "result": *self.rng.choose(&["*", "1-0"]), "reason": null } })
        });
        match saved {
            Some(saved) => json!({ "type": "hello", "protocol": 1, "saved": saved }),
            None => json!({ "type": "hello", "protocol": self.rng.below(3) }),
        }
    }

    /// A line, mostly legal.
    fn line(&mut self, position: &Position) -> Vec<Move> {
        let mut at = *position;
        let mut line = Vec::new();
        for _ in 0..self.rng.below(40) {
            if self.rng.below(100) == 0 {
                line.push(Move::from_bits(self.rng.next_u64() as u16));
                continue;
            }
            let moves = at.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = *self.rng.choose(&moves);
            line.push(m);
            at = if at.is_legal(m) { at.after(m) } else { at };
        }
        line
    }

    fn lines(&mut self, position: &Position) -> Lines {
        let count = self.rng.below(7);
        let line = |_| {
            let score = self.rng.below(64_001) as i32 - 32_000;
            ScoredLine { score, moves: self.line(position) }
        };
        let lines = (0..count).map(line).collect();
        Lines { depth: self.rng.below(30) as i32, lines, ..Lines::default() }
    }

    /// An update of a job, mostly of the right kind.
    fn answer(&mut self, work: &Work) -> Update {
        match (self.rng.below(20), work) {
            (0, _) => Update::Failed("it failed".into()),
            (1, _) => Update::Attention(vec![f32::NAN, -1.0, 1e30]),
            (2, _) => Update::Found { best: None, lines: Lines::default() },
            (_, Work::Search(search)) => {
                let position = *search.game.position();
                let lines = self.lines(&position);
                let best = lines.lines.first().and_then(|line| line.moves.first().copied());
                Update::Found { best, lines }
            }
            (_, Work::Predict { game, .. }) => {
                let position = *game.position();
                let moves = position.legal_moves();
                let p = 1.0 / moves.len().max(1) as f32;
                let moves = moves.into_iter().map(|m| (m, p)).collect();
                Update::Prediction(PositionPrediction { position, moves, wdl: [0.3, 0.4, 0.3] })
            }
            (_, Work::Attention { .. }) => Update::Attention(vec![1.0 / 64.0; 4096]),
            (_, Work::AnalyseGame { tree, .. }) => {
                let (tree, start, stopped) = (tree.clone(), 12, self.rng.random_bool(0.5));
                let moves = Vec::new();
                let analysis = GameAnalysis { tree, start, moves, stopped, problem: None };
                Update::Analysed(Box::new(analysis))
            }
            _ => Update::Failed("a job of Paco Ŝako".into()),
        }
    }

    fn step(&mut self) {
        let milliseconds = [0, 1, 20, 500, 3_000][self.rng.below(5)];
        self.page.now += std::time::Duration::from_millis(milliseconds);
        match self.rng.below(10) {
            0 => self.page.input(Input::Timer),
            1..5 if !self.page.jobs.is_empty() => {
                let at = self.rng.below(self.page.jobs.len());
                if let (Work::Search(search), true) =
                    (&self.page.jobs[at].work, self.rng.random_bool(0.3))
                {
                    let (id, position) = (self.page.jobs[at].id, *search.game.position());
                    let lines = self.lines(&position);
                    return self.page.input(Input::Update(id, Update::Lines(lines)));
                }
                let job = self.page.jobs.remove(at);
                let update = self.answer(&job.work);
                self.page.input(Input::Update(job.id, update));
            }
            5 if self.rng.below(10) == 0 => {
                let id = JobId { game: GameKind::Chess, number: self.rng.below(10_000) as u64 };
                if self.page.jobs.iter().all(|job| job.id != id) {
                    let lines = self.lines(&Position::INITIAL);
                    self.page.input(Input::Update(id, Update::Found { best: None, lines }));
                }
            }
            _ => {
                let message = serde_json::from_value(self.message());
                if let Ok(message) = message {
                    self.page.input(Input::Message(message));
                }
            }
        }
    }

    fn check(&self) {
        let page = &self.page;
        assert!(page.received.len() < 12, "{:?}", page.received);
        assert!(page.jobs.len() <= 9, "{:?}", page.jobs);
        for message in &page.received {
            match message {
                ServerMessage::Position(shown) => {
                    let position = Position::from_fen(&shown.fen).unwrap();
                    let legal = position.legal_moves();
                    let rules = legal.iter().map(|m| m.uci(CastlingStyle::Chess960).to_string());
                    let mut rules: Vec<String> = rules.collect();
                    let mut shown_moves: Vec<String> =
                        shown.legal.iter().map(|m| m.uci.clone()).collect();
                    rules.sort();
                    shown_moves.sort();
                    assert_eq!(shown_moves, rules, "{}", shown.fen);
                    let game = page.game.as_ref().unwrap();
                    assert!(game.nodes.iter().any(|node| node.id == shown.node));
                    assert_eq!(game.document, shown.document);
                }
                ServerMessage::Game(game) => check_tree(game),
                ServerMessage::Notice { text, .. } => {
                    assert!(text.len() < 2000 && !text.contains('\n'))
                }
                ServerMessage::Lines(lines) => assert!(lines.lines.len() <= 5),
                ServerMessage::Model(model) => assert!(model.moves.len() <= 218),
                _ => {}
            }
            // All messages can be serialized.
            serde_json::to_string(message).unwrap();
        }
    }
}

/// Parents come before their children, and both refer to each other.
fn check_tree(game: &GameMessage) {
    assert!(game.nodes.len() <= 20_001);
    let mut seen = std::collections::HashMap::new();
    for node in &game.nodes {
        if let Some(parent) = node.parent {
            let above: &TreeNode = seen[&parent];
            assert!(above.children.contains(&node.id) && above.ply + 1 == node.ply);
        }
        seen.insert(node.id, node);
    }
    let children: usize = game.nodes.iter().map(|node| node.children.len()).sum();
    assert_eq!(children + 1, game.nodes.len());
}

/// The content of a tree without the numbers of its nodes.
fn content(game: &GameMessage) -> Vec<String> {
    let node = |node: &TreeNode| {
        let TreeNode { ply, uci, san, comment, nags, shapes, .. } = node;
        format!("{ply} {uci:?} {san:?} {comment:?} {nags:?} {shapes:?} {}", node.children.len())
    };
    game.nodes.iter().map(node).collect()
}

#[test]
fn nothing_panics_and_what_is_written_is_read_back() {
    let texts = [TEXTS[3], TEXTS[9]];
    let mut anything = Anything { rng: Rng::from_seed(42), page: Client::with_texts(&texts) };
    anything.page.send(json!({ "type": "hello", "protocol": 1 }));
    let (mut compared, mut played) = (0, 0);
    for step in 0..STEPS {
        anything.step();
        anything.check();
        played += usize::from(
            anything.page.play.as_ref().is_some_and(|play| play.status == PlayStatus::Playing),
        );
        if step % 20 == 0 {
            let pgn = anything.page.pgn();
            let tree =
                read_trees(pgn.as_bytes()).remove(0).unwrap_or_else(|e| panic!("{e}: {pgn}"));
            assert_eq!(tree.to_string(), pgn);
            let mut other = Client::with_texts(&[&pgn]);
            other.send(json!({ "type": "open", "upload": 0, "game": 0 }));
            let (ours, theirs) = (anything.page.game.as_ref().unwrap(), other.game.unwrap());
            assert_eq!(content(ours), content(&theirs), "{pgn}");
            compared += ours.nodes.len();
        }
    }
    assert!(compared > 10_000 && played > STEPS / 10, "{compared} {played}");
}
