//! Who tells what positions are worth.

use std::path::Path;
use std::sync::Arc;

use chess::pgn::Score;
use chess::{Color, Game, Move, PackedRow, Position};
use engine::eval::Evaluator;
use engine::eval::file::{self, FileError};
use engine::search::{Control, Engine, Limits, Settings};
use engine::table::OutOfMemory;
use nnue::AnyNetwork;
use serde_json::{Value, json};

/// The table of the engine that looks at positions, in MiB.
const HASH: usize = 8;

/// An evaluation.
#[derive(Clone)]
pub enum Teacher {
    /// The hand-written terms of the engine.
    Classic,
    /// A network, and what its file is known by.
    Network(AnyNetwork, FileNote),
}

/// A file, for manifests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileNote {
    /// Its name, without folders.
    pub name: String,
    /// The BLAKE3 hash of its bytes; none for what is embedded, which the version of the program tells.
    pub blake3: Option<String>,
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

/// There is no such teacher.
#[derive(Debug, thiserror::Error)]
#[error("{name} gives no network: {cause}")]
pub struct TeacherError {
    /// The file.
    pub name: String,
    /// What is wrong with it.
    pub cause: FileError,
}

impl Teacher {
    /// `classic`; or `embedded`, the network in the program; or the network in a file.
    pub fn named(name: &str) -> Result<Self, TeacherError> {
        let path = Path::new(name);
        let loaded = match name {
            "classic" => return Ok(Self::Classic),
            "embedded" => file::embedded().ok_or(FileError::NoFile),
            _ => file::load(path),
        };
        let network = loaded.map_err(|cause| TeacherError { name: name.to_owned(), cause })?;
        let short = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let blake3 = data::describe(path).blake3;
        Ok(Self::Network(network, FileNote { name: short, blake3 }))
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
                    AnyNetwork::Tabiya(_) => "tabiya",
                    AnyNetwork::HalfKp(_) => "halfkp",
                };
                let FileNote { name, blake3 } = file;
                json!({ "evaluation": kind, "file": name, "blake3": blake3, "look": look })
            }
        }
    }

    /// An engine that evaluates as it does, with a table of so many MiB.
    pub fn engine(&self, mebibytes: usize) -> Result<Engine, OutOfMemory> {
        let mut engine = Engine::new(mebibytes)?;
        engine.set_network(self.network());
        Ok(engine)
    }

    /// The network, if it is one.
    pub fn network(&self) -> Option<AnyNetwork> {
        match self {
            Self::Classic => None,
            Self::Network(network, _) => Some(network.clone()),
        }
    }

    /// Somebody who looks at positions as it does, one after the other.
    pub fn scorer(&self, look: Look) -> Result<Scorer, OutOfMemory> {
        Ok(Scorer(match (self, look) {
            (Self::Classic, Look::Static) => Eye::Classic(Evaluator::new(None)),
            (Self::Network(AnyNetwork::Tabiya(network), _), Look::Static) => {
                Eye::Tabiya(nnue::AccumulatorStack::new(Arc::clone(network)))
            }
            (Self::Network(AnyNetwork::HalfKp(network), _), Look::Static) => {
                Eye::HalfKp(nnue::halfkp::AccumulatorStack::new(Arc::clone(network)))
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
    Tabiya(nnue::AccumulatorStack),
    HalfKp(nnue::halfkp::AccumulatorStack),
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
            Eye::Tabiya(accumulators) => accumulators.make_move(position, m),
            Eye::HalfKp(accumulators) => accumulators.make_move(position, m),
            Eye::Engine(..) => position.after(m),
        }
    }

    /// Back to where it was before the last move.
    pub fn take_back(&mut self) {
        match &mut self.0 {
            Eye::Classic(evaluator) => evaluator.take_back(),
            Eye::Tabiya(accumulators) => accumulators.unmake_move(),
            Eye::HalfKp(accumulators) => accumulators.unmake_move(),
            Eye::Engine(..) => {}
        }
    }

    /// What the position it is at is worth, White's view.
    pub fn score(&mut self, position: &Position) -> Score {
        let score = match &mut self.0 {
            Eye::Classic(evaluator) => Score::Centipawns(evaluator.evaluate(position)),
            Eye::Tabiya(accumulators) => Score::Centipawns(accumulators.evaluate(position)),
            Eye::HalfKp(accumulators) => {
                Score::Centipawns(nnue::halfkp_centipawns(accumulators.evaluate(position)))
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
    engine::score::to_uci(score)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closer_the_look_the_more_is_seen() {
        let centipawns = |look, fen: &str| {
            let position = fen.parse().unwrap();
            let mut scorer = Teacher::Classic.scorer(look).unwrap();
            scorer.start();
            scorer.go_to(&position);
            let score = engine::search::with_deep_stack(|| scorer.score(&position)).unwrap();
            match score {
                Score::Centipawns(value) => value,
                Score::Mate(moves) => panic!("mate in {moves}"),
            }
        };
        // White's queen is worth more than Black's rook, but she hangs, and Black is to move.
        let hanging = "r3k3/8/2p5/3Q4/8/8/PPP5/4K3 b - - 0 1";
        assert!(centipawns(Look::Static, hanging) > 0);
        assert!(centipawns(Look::Quiescence, hanging) < 0);
        assert!(centipawns(Look::Nodes(500), hanging) < 0);
        assert!(centipawns(Look::Depth(3), hanging) < 0);
    }

    #[test]
    fn scores_are_whites_and_have_room_in_rows() {
        let seen = |score| [Color::White, Color::Black].map(|turn| seen_by_white(score, turn));
        assert_eq!(seen(Score::Centipawns(7)), [7, -7].map(Score::Centipawns));
        assert_eq!(seen(Score::Centipawns(99_999)), [31_999, -31_999].map(Score::Centipawns));
        assert_eq!(seen(Score::Mate(-3)), [-3, 3].map(Score::Mate));
        assert_eq!(read(engine::score::mate_in(3)), Score::Mate(2));
    }
}
