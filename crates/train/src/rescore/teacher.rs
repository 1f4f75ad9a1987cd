//! Teachers: evaluations that score positions.

use std::path::Path;

use chess::pgn::Score;
use chess::{Color, Game, Move, PackedRow, Position};
use engine::OutOfMemory;
use engine::eval::Evaluator;
use engine::eval::file::{self, FileError};
use engine::search::{Control, Engine, Limits, Settings};
use engine::value::to_score;
use nnue::{AnyNetwork, AnyStack};
use serde_json::{Value, json};

/// The transposition table of a searching teacher, in MiB.
const HASH: usize = 8;

/// An evaluation.
#[derive(Clone)]
pub enum Teacher {
    /// The engine's classical evaluation.
    Classic,
    /// A network and its file.
    Network(AnyNetwork, NetworkFile),
}

/// The file of a network, as manifests record it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFile {
    /// The file name, without directories.
    pub name: String,
    /// BLAKE3 hash; `None` for the embedded network.
    pub blake3: Option<String>,
}

/// How deep a teacher searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchDepth {
    /// Static evaluation.
    Static,
    /// Quiescence search.
    Quiescence,
    /// Search to a number of nodes.
    Nodes(u64),
    /// Search to a depth.
    Depth(u32),
}

/// A teacher could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("cannot load the network {name}: {cause}")]
pub struct TeacherError {
    /// The file.
    pub name: String,
    /// The cause.
    pub cause: FileError,
}

impl Teacher {
    /// `classic`; `embedded`, the embedded network; or the path of a network file.
    pub fn named(name: &str) -> Result<Self, TeacherError> {
        let path = Path::new(name);
        let loaded = file::named(path);
        let network = loaded.map_err(|cause| TeacherError { name: name.to_owned(), cause })?;
        let Some(network) = network else { return Ok(Self::Classic) };
        let short = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let blake3 = data::describe(path).blake3;
        Ok(Self::Network(network, NetworkFile { name: short, blake3 }))
    }

    /// The teacher as manifests record it.
    pub fn describe(&self, depth: SearchDepth) -> Value {
        let look = match depth {
            SearchDepth::Static => json!("static"),
            SearchDepth::Quiescence => json!("quiescence"),
            SearchDepth::Nodes(nodes) => json!({ "nodes": nodes }),
            SearchDepth::Depth(depth) => json!({ "depth": depth }),
        };
        match self {
            Self::Classic => json!({ "evaluation": "classic", "look": look }),
            Self::Network(network, file) => {
                let NetworkFile { name, blake3 } = file;
                json!({ "evaluation": network.kind(), "file": name, "blake3": blake3, "look": look })
            }
        }
    }

    /// An engine with this evaluation and a transposition table of this size.
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

    /// A scorer of positions.
    pub fn scorer(&self, depth: SearchDepth) -> Result<Scorer, OutOfMemory> {
        Ok(Scorer(match (self, depth) {
            (Self::Classic, SearchDepth::Static) => Backend::Classic(Evaluator::new(None)),
            (Self::Network(network, _), SearchDepth::Static) => {
                Backend::Network(AnyStack::new(network.clone()))
            }
            _ => Backend::Engine(Box::new(self.engine(HASH)?), depth),
        }))
    }
}

/// Scores positions. A searching scorer depends on the positions since the last [`clear`](Scorer::clear),
/// through its transposition table and history.
pub struct Scorer(Backend);

enum Backend {
    Classic(Evaluator),
    Network(AnyStack),
    Engine(Box<Engine>, SearchDepth),
}

impl Scorer {
    /// Clears transposition table and history.
    pub fn clear(&mut self) {
        if let Backend::Engine(engine, _) = &mut self.0 {
            engine.new_game();
        }
    }

    /// Sets the position.
    pub fn set_position(&mut self, position: &Position) {
        match &mut self.0 {
            Backend::Classic(evaluator) => evaluator.reset(position),
            Backend::Network(accumulators) => accumulators.reset(position),
            Backend::Engine(..) => {}
        }
    }

    /// Makes a move and returns the position after it.
    pub fn make_move(&mut self, position: &Position, m: Move) -> Position {
        match &mut self.0 {
            Backend::Classic(evaluator) => evaluator.make_move(position, m),
            Backend::Network(accumulators) => accumulators.make_move(position, m),
            Backend::Engine(..) => position.after(m),
        }
    }

    /// Unmakes the last move.
    pub fn unmake_move(&mut self) {
        match &mut self.0 {
            Backend::Classic(evaluator) => evaluator.unmake_move(),
            Backend::Network(accumulators) => accumulators.unmake_move(),
            Backend::Engine(..) => {}
        }
    }

    /// The score of the current position, from White's point of view.
    pub fn score(&mut self, position: &Position) -> Score {
        let score = match &mut self.0 {
            Backend::Classic(evaluator) => Score::Centipawns(evaluator.evaluate(position)),
            Backend::Network(accumulators) => Score::Centipawns(accumulators.evaluate(position)),
            Backend::Engine(engine, depth) => search(engine, *depth, position),
        };
        white_pov(score, position.turn())
    }
}

/// The engine's score, from the side to move.
fn search(engine: &mut Engine, depth: SearchDepth, position: &Position) -> Score {
    let limits = match depth {
        SearchDepth::Static => return Score::Centipawns(engine.evaluate(position)),
        SearchDepth::Quiescence => return to_score(engine.quiesce(position)),
        SearchDepth::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        SearchDepth::Depth(depth) => Limits { depth: Some(depth), ..Limits::default() },
    };
    let control = Control::new(false);
    let game = Game::new(*position);
    let found = engine.search(&game, &limits, Settings::default(), &control, &|_| {});
    to_score(found.score)
}

/// A score of the side to move from White's point of view, clamped to the range of packed rows.
pub fn white_pov(score: Score, turn: Color) -> Score {
    let most = PackedRow::MAX_CENTIPAWNS;
    let score = match score {
        Score::Centipawns(value) => Score::Centipawns(value.clamp(-most, most)),
        Score::Mate(_) => score,
    };
    if turn == Color::White { score } else { -score }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_sees_a_hanging_queen() {
        let centipawns = |depth, fen: &str| {
            let position = fen.parse().unwrap();
            let mut scorer = Teacher::Classic.scorer(depth).unwrap();
            scorer.clear();
            scorer.set_position(&position);
            let score = engine::search::with_deep_stack(|| scorer.score(&position)).unwrap();
            match score {
                Score::Centipawns(value) => value,
                Score::Mate(moves) => panic!("mate in {moves}"),
            }
        };
        // White's queen is worth more than Black's rook, but it hangs, and Black is to move.
        let hanging = "r3k3/8/2p5/3Q4/8/8/PPP5/4K3 b - - 0 1";
        assert!(centipawns(SearchDepth::Static, hanging) > 0);
        assert!(centipawns(SearchDepth::Quiescence, hanging) < 0);
        assert!(centipawns(SearchDepth::Nodes(500), hanging) < 0);
        assert!(centipawns(SearchDepth::Depth(3), hanging) < 0);
    }

    #[test]
    fn scores_are_from_whites_point_of_view_and_fit_rows() {
        let seen = |score| [Color::White, Color::Black].map(|turn| white_pov(score, turn));
        assert_eq!(seen(Score::Centipawns(7)), [7, -7].map(Score::Centipawns));
        assert_eq!(seen(Score::Centipawns(99_999)), [31_999, -31_999].map(Score::Centipawns));
        assert_eq!(seen(Score::Mate(-3)), [-3, 3].map(Score::Mate));
        assert_eq!(to_score(engine::value::mate_in(3)), Score::Mate(2));
    }
}
