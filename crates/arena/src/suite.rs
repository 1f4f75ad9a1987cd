//! Best-move and avoid-move suites (STS, WAC and the like): positions in EPD with the operations `bm`, `am`
//! and `id`.

use std::path::Path;

use chess::{Epd, EpdError, Game, Move, Position, SanError};
use data::ReadError;
use engine::analysis::{AnalysisEngine, AnalysisError};
use engine::search::Limits;
use engine::value::to_score;
use layout::Table;
use serde_json::{Value, json};

use crate::openings::MAX_EPD_BYTES;

/// A position with moves to find or to avoid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The number of its line, from 1.
    pub line: usize,
    /// The operation `id`, or the number of the line.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The operation `bm`: one of these is to be played.
    pub best: Vec<Move>,
    /// The operation `am`: none of these is to be played.
    pub avoid: Vec<Move>,
}

/// Why a line is no problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Not EPD.
    #[error(transparent)]
    Epd(#[from] EpdError),
    /// A move of `bm` or `am` is not legal.
    #[error("{opcode}: {source}")]
    Move {
        /// `bm` or `am`.
        opcode: &'static str,
        /// Why.
        source: SanError,
    },
    /// Neither `bm` nor `am`.
    #[error("neither bm nor am")]
    NoMoves,
}

/// The search of a problem.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The move found; none without a legal move.
    pub played: Option<Move>,
    /// For the side to move.
    pub score: chess::Score,
    /// Depth of the last iteration.
    pub depth: i32,
    /// Nodes searched.
    pub nodes: u64,
    /// Seconds used.
    pub seconds: f64,
    /// Whether the move solves the problem.
    pub solved: bool,
    /// Since when the first line has been a solution: depth, nodes, seconds.
    pub solved_at: Option<(i32, u64, f64)>,
}

impl Problem {
    /// Parses a line; `line` is its number.
    ///
    /// ```
    /// use tabiya_arena::suite::Problem;
    /// let problem = Problem::parse(7, r#"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";"#)?;
    /// assert!(problem.is_solved_by(problem.position.parse_uci("d1d8")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(line: usize, text: &str) -> Result<Self, ProblemError> {
        let epd = Epd::parse(text)?;
        let moves = |opcode: &'static str| {
            epd.moves(opcode).map_err(|source| ProblemError::Move { opcode, source })
        };
        let (best, avoid) = (moves("bm")?, moves("am")?);
        if best.is_empty() && avoid.is_empty() {
            return Err(ProblemError::NoMoves);
        }
        let id = epd.operand("id").map_or_else(|| format!("line {line}"), str::to_owned);
        Ok(Self { line, id, position: epd.position, best, avoid })
    }

    /// Whether a move is one of the best, if they are given, and none to avoid.
    pub fn is_solved_by(&self, m: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&m)) && !self.avoid.contains(&m)
    }

    /// The moves to find and to avoid in SAN: `Nf3 or e4`, `not Qxb2`.
    pub fn task(&self) -> String {
        let san = |moves: &[Move]| {
            let moves = moves.iter().map(|&m| self.position.san(m).to_string());
            moves.collect::<Vec<String>>().join(" or ")
        };
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (false, true) => san(&self.best),
            (true, _) => format!("not {}", san(&self.avoid)),
            (false, false) => format!("{}, not {}", san(&self.best), san(&self.avoid)),
        }
    }

    /// Searches the position with a cleared engine.
    pub fn attempt(
        &self,
        engine: &mut AnalysisEngine,
        limits: &Limits,
    ) -> Result<Attempt, AnalysisError> {
        engine.new_game();
        let mut solved_at = None;
        let lines = engine.search_lines(&Game::new(self.position), limits, |line| {
            let solved = line.moves.first().is_some_and(|&m| self.is_solved_by(m));
            let now = (line.depth, line.nodes, line.seconds);
            solved_at = solved.then(|| solved_at.unwrap_or(now));
        })?;
        let line = lines.first();
        let played = line.and_then(|line| line.moves.first().copied());
        let solved = played.is_some_and(|m| self.is_solved_by(m));
        Ok(Attempt {
            played,
            score: line.map_or(chess::Score::Mate(0), |line| to_score(line.score)),
            depth: line.map_or(0, |line| line.depth),
            nodes: line.map_or(0, |line| line.nodes),
            seconds: line.map_or(0.0, |line| line.seconds),
            solved,
            solved_at: solved_at.filter(|_| solved),
        })
    }
}

/// A problem, or the number of an invalid line and what is wrong with it.
pub type SuiteEntry = Result<Problem, (usize, ProblemError)>;

/// Reads a file, also compressed, with an EPD record on each line. Empty lines and lines that start with `#`
/// are skipped; an invalid line is an error in its place, with its number.
pub fn read(path: &Path) -> Result<Vec<SuiteEntry>, ReadError> {
    let text = data::read_text(path, MAX_EPD_BYTES)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim).zip(1..);
    let problems = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    Ok(problems.map(|(line, n)| Problem::parse(n, line).map_err(|error| (n, error))).collect())
}

/// Columns of [`table`] that a narrow table leaves out: nodes, seconds, depth.
pub const UNIMPORTANT: [usize; 3] = [6, 7, 5];

/// A line for each attempt.
pub fn table(attempts: &[(&Problem, Attempt)]) -> Table {
    let heading = ["", "id", "task", "played", "score", "depth", "nodes", "seconds"];
    let mut table = Table::new(heading, &[0, 1, 2, 3], 2);
    for (problem, attempt) in attempts {
        let played = attempt.played.map(|m| problem.position.san(m).to_string());
        table.row([
            if attempt.solved { "ok".to_owned() } else { "no".to_owned() },
            problem.id.clone(),
            problem.task(),
            played.unwrap_or_else(|| "-".to_owned()),
            match attempt.score {
                chess::Score::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
                chess::Score::Mate(moves) => format!("#{moves}"),
            },
            attempt.depth.to_string(),
            attempt.nodes.to_string(),
            format!("{:.2}", attempt.seconds),
        ]);
    }
    table
}

/// An attempt as JSON.
pub fn attempt_json(problem: &Problem, attempt: &Attempt) -> Value {
    let uci = |moves: &[Move]| moves.iter().map(Move::to_string).collect::<Vec<String>>();
    let (cp, mate) = match attempt.score {
        chess::Score::Centipawns(value) => (Some(value), None),
        chess::Score::Mate(moves) => (None, Some(moves)),
    };
    json!({
        "line": problem.line, "id": problem.id, "fen": problem.position.fen(),
        "bm": uci(&problem.best), "am": uci(&problem.avoid),
        "played": attempt.played.map(|m| m.to_string()), "solved": attempt.solved,
        "cp": cp, "mate": mate, "depth": attempt.depth, "nodes": attempt.nodes,
        "seconds": attempt.seconds,
        "solved_at": attempt.solved_at.map(|(depth, nodes, seconds)| {
            json!({ "depth": depth, "nodes": nodes, "seconds": seconds })
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::search::Engine;

    const MATE: &str = r#"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8+; id "mate";"#;
    const AVOID: &str = r#"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd8; id "other";"#;

    #[test]
    fn a_problem_has_moves_to_find_or_to_avoid() {
        let problem = Problem::parse(1, MATE).unwrap();
        assert_eq!((problem.id.as_str(), problem.task().as_str()), ("mate", "Rd8#"));
        let both = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8 Rd7; am Rd2";
        let both = Problem::parse(4, both).unwrap();
        assert_eq!(both.task(), "Rd8# or Rd7, not Rd2");
        assert_eq!(both.id, "line 4");
        let none = Problem::parse(1, "6k1/8/8/8/8/8/8/3R2K1 w - - id \"x\";");
        assert_eq!(none, Err(ProblemError::NoMoves));
        let illegal = Problem::parse(1, "6k1/8/8/8/8/8/8/3R2K1 w - - bm Qd8;");
        assert!(matches!(illegal, Err(ProblemError::Move { opcode: "bm", .. })));
    }

    #[test]
    fn an_engine_solves_what_it_sees_and_the_table_fits() {
        let mut engine = AnalysisEngine::new(Engine::new(1).unwrap());
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let problems = [MATE, AVOID].map(|text| Problem::parse(1, text).unwrap());
        let attempts: Vec<(&Problem, Attempt)> = problems
            .iter()
            .map(|problem| (problem, problem.attempt(&mut engine, &limits).unwrap()))
            .collect();
        assert_eq!(attempts.iter().map(|(_, a)| a.solved).collect::<Vec<bool>>(), [true, false]);
        assert!(attempts[0].1.solved_at.is_some() && attempts[1].1.solved_at.is_none());
        assert_eq!(attempts[0].1.score, chess::Score::Mate(1));
        assert_eq!(attempt_json(attempts[0].0, &attempts[0].1)["played"], "d1d8");
        for width in [40, 80] {
            let text = table(&attempts).without(&UNIMPORTANT, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert!(text.contains("not Rd8#"));
        }
    }
}
