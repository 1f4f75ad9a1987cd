//! Who tells what positions are worth.

use chess::pgn::Score;
use chess::{Color, Game, Move, PackedRow, Position};
use engine::eval::Evaluator;
use engine::score::Reading;
use engine::search::{Control, Engine, Limits, Settings};
use engine::table::OutOfMemory;
use serde_json::{Value, json};

/// The table of the engine that looks at positions, in MiB.
const HASH: usize = 8;

/// An evaluation.
#[derive(Clone)]
pub enum Teacher {
    /// The hand-written terms of the engine.
    Classic,
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
}

impl Teacher {
    /// `classic`, or the network in a file.
    pub fn named(name: &str) -> Result<Self, TeacherError> {
        match name {
            "classic" => Ok(Self::Classic),
            _ => Err(TeacherError::Io {
                name: name.to_owned(),
                cause: std::io::ErrorKind::Unsupported.into(),
            }),
        }
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
        }
    }

    /// An engine that evaluates as it does, with a table of so many MiB.
    pub fn engine(&self, mebibytes: usize) -> Result<Engine, OutOfMemory> {
        Engine::new(mebibytes)
    }

    /// Somebody who looks at positions as it does, one after the other.
    pub fn scorer(&self, look: Look) -> Result<Scorer, OutOfMemory> {
        let Self::Classic = self;
        Ok(Scorer(match look {
            Look::Static => Kind::Classic(Evaluator::default()),
            _ => Kind::Engine(Box::new(self.engine(HASH)?), look),
        }))
    }
}

/// Looks at positions. What it says of one may depend on those it has seen since the last
/// [`start`](Scorer::start).
pub struct Scorer(Kind);

enum Kind {
    Classic(Evaluator),
    Engine(Box<Engine>, Look),
}

impl Scorer {
    /// Forgets everything.
    pub fn start(&mut self) {
        match &mut self.0 {
            Kind::Classic(_) => {}
            Kind::Engine(engine, _) => engine.new_game(),
        }
    }

    /// Goes to a position.
    pub fn go_to(&mut self, position: &Position) {
        match &mut self.0 {
            Kind::Classic(evaluator) => evaluator.reset(position),
            Kind::Engine(..) => {}
        }
    }

    /// The position after a move, where it is now.
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        match &mut self.0 {
            Kind::Classic(evaluator) => evaluator.play(position, m),
            Kind::Engine(..) => position.after(m),
        }
    }

    /// Back to where it was before the last move.
    pub fn take_back(&mut self) {
        match &mut self.0 {
            Kind::Classic(evaluator) => evaluator.take_back(),
            Kind::Engine(..) => {}
        }
    }

    /// What the position it is at is worth, White's view.
    pub fn score(&mut self, position: &Position) -> Score {
        let score = match &mut self.0 {
            Kind::Classic(evaluator) => Score::Centipawns(evaluator.evaluate(position)),
            Kind::Engine(engine, look) => looked(engine, *look, position),
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
