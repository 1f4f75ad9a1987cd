//! Who tells what positions are worth.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use chess::pgn::Score;
use chess::{Color, Game, Move, PackedRow, Position};
use engine::eval::Evaluator;
use engine::score::Reading;
use engine::search::{Control, Engine, Limits, Settings};
use engine::table::OutOfMemory;
use serde_json::{Value, json};

/// The table of the engine that looks at positions, in MiB.
const HASH: usize = 8;
/// No network is larger.
const MOST_BYTES: u64 = 256 << 20;
/// A pawn, in the units of HalfKP networks.
const HALFKP_PAWN: i32 = 208;

/// An evaluation.
#[derive(Clone)]
pub enum Teacher {
    /// The hand-written terms of the engine.
    Classic,
    /// A network, and what its file is known by.
    Network(Kind, FileNote),
}

/// A network of any kind.
#[derive(Clone)]
pub enum Kind {
    /// Of the engine's own kind.
    Tabiya(Arc<nnue::Network>),
    /// HalfKP, as Stockfish had it.
    HalfKp(Arc<nnue::halfkp::Network>),
}

/// A file, for manifests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileNote {
    /// Its name, without folders.
    pub name: String,
    /// The BLAKE3 hash of its bytes.
    pub blake3: String,
}

/// How closely a position is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// The evaluation, and no move.
    Static,
    /// After all that hangs has been taken.
    Quiescence,
    /// A search of so many positions.
    Nodes(u64),
    /// A search of this depth.
    Depth(u32),
}

/// Why there is no such teacher.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    /// The file cannot be read.
    #[error("cannot read {name}: {cause}")]
    Io {
        /// The file.
        name: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The file is no network, or not a whole one.
    #[error("{name} is no network: {reason}")]
    Network {
        /// The file.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Teacher {
    /// `classic`, or the network in a file.
    pub fn named(name: &str) -> Result<Self, TeacherError> {
        if name == "classic" {
            return Ok(Self::Classic);
        }
        let fail = |cause| TeacherError::Io { name: name.to_owned(), cause };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(name).map_err(fail)?;
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(fail)?;
        let bad = |reason: String| TeacherError::Network { name: name.to_owned(), reason };
        let network = if nnue::halfkp::Network::recognizes(&bytes) {
            let network = nnue::halfkp::Network::from_bytes(&bytes);
            Kind::HalfKp(Arc::new(network.map_err(|error| bad(error.to_string()))?))
        } else {
            let network = nnue::Network::from_bytes(&bytes);
            Kind::Tabiya(Arc::new(network.map_err(|error| bad(error.to_string()))?))
        };
        let short = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let blake3 = blake3::hash(&bytes).to_hex().to_string();
        Ok(Self::Network(network, FileNote { name: short.into_owned(), blake3 }))
    }

    /// What a manifest keeps of it.
    pub fn described(&self, look: Look) -> Value {
        let look = match look {
            Look::Static => json!("static"),
            Look::Quiescence => json!("quiescence"),
            Look::Nodes(nodes) => json!({ "nodes": nodes }),
            Look::Depth(depth) => json!({ "depth": depth }),
        };
        match self {
            Self::Classic => json!({ "evaluation": "classic", "look": look }),
            Self::Network(kind, file) => {
                let kind = match kind {
                    Kind::Tabiya(_) => "tabiya",
                    Kind::HalfKp(_) => "halfkp",
                };
                let FileNote { name, blake3 } = file;
                json!({ "evaluation": kind, "file": name, "blake3": blake3, "look": look })
            }
        }
    }

    /// An engine that evaluates as it does, with a table of so many MiB.
    pub fn engine(&self, mebibytes: usize) -> Result<Engine, OutOfMemory> {
        Engine::new(mebibytes)
    }

    /// Somebody who looks at positions as it does, one after the other.
    pub fn scorer(&self, look: Look) -> Result<Scorer, OutOfMemory> {
        Ok(Scorer(match (self, look) {
            (Self::Classic, Look::Static) => Eye::Classic(Evaluator::default()),
            (Self::Network(Kind::Tabiya(network), _), Look::Static) => {
                Eye::Tabiya(nnue::Accumulators::new(Arc::clone(network)))
            }
            (Self::Network(Kind::HalfKp(network), _), Look::Static) => {
                Eye::HalfKp(nnue::halfkp::Accumulators::new(Arc::clone(network)))
            }
            _ => Eye::Engine(Box::new(self.engine(HASH)?), look),
        }))
    }
}

/// Looks at positions. What it says of one may depend on those it has seen since the last
/// [`start`](Scorer::start).
pub struct Scorer(Eye);

enum Eye {
    Classic(Evaluator),
    Tabiya(nnue::Accumulators),
    HalfKp(nnue::halfkp::Accumulators),
    Engine(Box<Engine>, Look),
}

impl Scorer {
    /// Forgets everything.
    pub fn start(&mut self) {
        if let Eye::Engine(engine, _) = &mut self.0 {
            engine.new_game();
        }
    }

    /// Goes to a position.
    pub fn go_to(&mut self, position: &Position) {
        match &mut self.0 {
            Eye::Classic(evaluator) => evaluator.reset(position),
            Eye::Tabiya(accumulators) => accumulators.reset(position),
            Eye::HalfKp(accumulators) => accumulators.reset(position),
            Eye::Engine(..) => {}
        }
    }

    /// The position after a move, where it is now.
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        match &mut self.0 {
            Eye::Classic(evaluator) => evaluator.play(position, m),
            Eye::Tabiya(accumulators) => accumulators.play(position, m),
            Eye::HalfKp(accumulators) => accumulators.play(position, m),
            Eye::Engine(..) => position.after(m),
        }
    }

    /// Back to where it was before the last move.
    pub fn take_back(&mut self) {
        match &mut self.0 {
            Eye::Classic(evaluator) => evaluator.take_back(),
            Eye::Tabiya(accumulators) => accumulators.take_back(),
            Eye::HalfKp(accumulators) => accumulators.take_back(),
            Eye::Engine(..) => {}
        }
    }

    /// What the position it is at is worth, White's view.
    pub fn score(&mut self, position: &Position) -> Score {
        let score = match &mut self.0 {
            Eye::Classic(evaluator) => Score::Centipawns(evaluator.evaluate(position)),
            Eye::Tabiya(accumulators) => Score::Centipawns(accumulators.evaluate(position)),
            Eye::HalfKp(accumulators) => {
                Score::Centipawns(accumulators.evaluate(position) * 100 / HALFKP_PAWN)
            }
            Eye::Engine(engine, look) => looked(engine, *look, position),
        };
        seen_by_white(score, position.turn())
    }
}

/// What the engine says, for the player to move.
fn looked(engine: &mut Engine, look: Look, position: &Position) -> Score {
    let limits = match look {
        Look::Static => return Score::Centipawns(engine.evaluate(position)),
        Look::Quiescence => return read(engine.quiesce(position)),
        Look::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        Look::Depth(depth) => Limits { depth: Some(depth), ..Limits::default() },
    };
    let control = Control::new(false);
    let game = Game::new(*position);
    let found = engine.search(&game, &limits, Settings::default(), &control, &|_| {});
    read(found.score)
}

/// A score of the engine, as rows have it.
pub fn read(score: engine::score::Score) -> Score {
    match Reading::of(score) {
        Reading::Centipawns(value) => Score::Centipawns(value),
        Reading::Mate(moves) => Score::Mate(moves),
    }
}

/// The score of the player to move, for White, and such that rows have room for it.
pub fn seen_by_white(score: Score, turn: Color) -> Score {
    let sign = if turn == Color::White { 1 } else { -1 };
    match score {
        Score::Centipawns(value) => {
            let most = PackedRow::MAX_CENTIPAWNS;
            Score::Centipawns(sign * value.clamp(-most, most))
        }
        Score::Mate(moves) => Score::Mate(sign * moves),
    }
}
