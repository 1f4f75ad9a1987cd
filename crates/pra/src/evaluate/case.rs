//! One position: what is known of it, and how far what the model said is from that.

use std::cmp::Ordering;
use std::fmt;

use chess::pgn::Score;
use chess::{Move, PieceType, Position};

use crate::encode::PLAIN_MOVES;
use crate::player::for_mover;
use crate::{Config, Prediction};

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Known {
    /// The move that was played.
    pub played: Move,
    /// The rating of the player to move.
    pub rating: Option<i32>,
    /// The points he got: 1, ½ or 0.
    pub result: Option<f32>,
    /// An evaluation, from his view.
    pub score: Option<Score>,
}

/// What the model said of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Case {
    /// How many legal moves it held likelier than the one played; 0 if it foresaw it.
    pub rank: usize,
    /// How many of all 4096 pairs of squares it held likelier.
    pub all_rank: usize,
    /// −ln of the probability of the move, among the legal ones.
    pub surprise: f64,
    /// Win, draw and loss of the player to move.
    pub wdl: [f32; 3],
}

impl Case {
    /// Compares what was said with the move that was played. Of moves that are as likely as each other
    /// the first comes first, so that a model that has no opinion is not right by that.
    ///
    /// A model whose policy knows no promotions always makes a queen; when something else was made, no
    /// legal move that it has is right. Among the 4096 pairs of squares it still is, as in the reference.
    pub fn of(config: &Config, position: &Position, played: Move, said: &Prediction) -> Self {
        let logit = |number: u16| said.logits.get(usize::from(number)).copied().unwrap_or(f32::MIN);
        let moves: Vec<(Move, f32)> =
            config.legal_moves(position).map(|(m, number)| (m, logit(number))).collect();
        let place = moves.iter().position(|&(m, _)| m == played);
        let rank = place.map_or(moves.len(), |place| rank(moves.iter().map(|m| m.1), place));
        let own = logit(config.move_index(position.turn(), played));
        let top = moves.iter().map(|m| m.1).fold(own, f32::max);
        let sum: f64 = moves.iter().map(|m| f64::from(m.1 - top).exp()).sum();
        let plain = Config { promotions: false, ..*config };
        let plain_place = usize::from(plain.move_index(position.turn(), played));
        let all = &said.logits[..PLAIN_MOVES.min(said.logits.len())];
        Self {
            rank,
            all_rank: self::rank(all.iter().copied(), plain_place),
            surprise: sum.ln() - f64::from(own - top),
            wdl: for_mover(config, position.turn(), said.outcome),
        }
    }
}

/// How many of these come before the one at a place: those that are greater, and equal ones before it.
/// Where there are no numbers nothing is foreseen.
fn rank(values: impl Iterator<Item = f32> + Clone, place: usize) -> usize {
    let Some(own) = values.clone().nth(place) else { return usize::MAX };
    let before = |&(n, value): &(usize, f32)| match value.partial_cmp(&own) {
        Some(Ordering::Less) => false,
        Some(Ordering::Equal) => n < place,
        Some(Ordering::Greater) => true,
        None => n != place,
    };
    values.enumerate().filter(before).count()
}

/// How far a game has come, by what is left on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// At most two minor pieces are gone, or as much.
    Opening,
    /// Anything between.
    Middlegame,
    /// No more than two queens are left, or as much.
    Endgame,
}

impl Phase {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middlegame, Self::Endgame];

    /// A knight or bishop counts 1, a rook 2, a queen 4, of both players together; there are 24 at the
    /// start. From 22 on it is the opening, up to 8 the endgame. Pawns do not count.
    ///
    /// ```
    /// use pra::evaluate::Phase;
    /// assert_eq!(Phase::of(&chess::Position::INITIAL), Phase::Opening);
    /// let pawns: chess::Position = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1".parse()?;
    /// assert_eq!(Phase::of(&pawns), Phase::Endgame);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(position: &Position) -> Self {
        let weight = |piece: PieceType| match piece {
            PieceType::Knight | PieceType::Bishop => 1,
            PieceType::Rook => 2,
            PieceType::Queen => 4,
            PieceType::Pawn | PieceType::King => 0,
        };
        let material: u32 =
            position.board().iter().map(|(_, piece)| weight(piece.piece_type())).sum();
        match material {
            0..=8 => Self::Endgame,
            9..=21 => Self::Middlegame,
            _ => Self::Opening,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::POLICY;

    fn said(config: &Config, position: &Position, logits: &[(&str, f32)]) -> Prediction {
        let mut all = vec![0.0; POLICY];
        for &(text, logit) in logits {
            let m = position.parse_uci(text).unwrap();
            all[usize::from(config.move_index(position.turn(), m))] = logit;
        }
        Prediction { logits: all, outcome: [0.6, 0.3, 0.1] }
    }

    fn case(config: &Config, fen: &str, played: &str, logits: &[(&str, f32)]) -> Case {
        let position: Position = fen.parse().unwrap();
        let m = position.parse_uci(played).unwrap();
        Case::of(config, &position, m, &said(config, &position, logits))
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_rank_is_how_many_moves_were_held_likelier() {
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let logits = [("e2e4", 3.0), ("d2d4", 2.0), ("g1f3", 1.0)];
            let rank = |played: &str| case(&config, START, played, &logits).rank;
            assert_eq!((rank("e2e4"), rank("d2d4"), rank("g1f3")), (0, 1, 2));
            // All others are equal, and come behind.
            assert!(rank("a2a3") >= 3 && rank("h2h4") >= 3);
            let ranks: Vec<usize> = (0..8)
                .map(|n| (b'a' + n) as char)
                .map(|file| rank(&format!("{file}2{file}3")))
                .collect();
            let distinct: std::collections::HashSet<&usize> = ranks.iter().collect();
            assert_eq!(distinct.len(), 8, "no opinion is not an opinion for everything");
        }
    }

    #[test]
    fn surprise_is_the_logarithm_of_the_probability_among_legal_moves() {
        let config = Config::new(1, 12);
        let sum = 1f64.exp() + 19.0;
        let found = case(&config, START, "e2e4", &[("e2e4", 1.0)]);
        assert!((found.surprise - (sum.ln() - 1.0)).abs() < 1e-6);
        let found = case(&config, START, "d2d4", &[("e2e4", 1.0)]);
        assert!((found.surprise - sum.ln()).abs() < 1e-6);
        assert_eq!(found.wdl, [0.6, 0.3, 0.1]);
    }

    #[test]
    fn a_policy_without_promotions_cannot_foresee_a_knight_but_its_squares() {
        let fen = "7k/4P3/8/8/8/8/8/K7 w - - 0 1";
        let plain = Config::reference(1, 12);
        let logits = [("e7e8q", 5.0)];
        assert_eq!(case(&plain, fen, "e7e8q", &logits).rank, 0);
        let knight = case(&plain, fen, "e7e8n", &logits);
        assert_eq!((knight.rank, knight.all_rank), (4, 0));
        let full = Config::new(1, 12);
        let knight = case(&full, fen, "e7e8n", &[("e7e8n", 5.0), ("e7e8q", 4.0)]);
        assert_eq!(knight.rank, 0);
        assert_eq!(case(&full, fen, "e7e8q", &[("e7e8n", 5.0), ("e7e8q", 4.0)]).rank, 1);
    }

    #[test]
    fn a_model_that_says_no_numbers_foresees_nothing() {
        let config = Config::new(1, 12);
        let position = Position::INITIAL;
        let m = position.parse_uci("a2a3").unwrap();
        let nothing = Prediction { logits: vec![f32::NAN; POLICY], outcome: [0.0, 1.0, 0.0] };
        let case = Case::of(&config, &position, m, &nothing);
        assert_eq!((case.rank, case.all_rank), (19, 4095));
    }

    #[test]
    fn phases_go_by_material() {
        let phase = |fen: &str| Phase::of(&fen.parse().unwrap());
        assert_eq!(
            phase("r1bqkbnr/pppp1ppp/8/4p3/3P4/8/PPP2PPP/RNBQKB1R w KQkq - 0 1"),
            Phase::Opening
        );
        assert_eq!(phase("r4rk1/pppq1ppp/8/8/8/8/PPPQ1PPP/R4RK1 w - - 0 1"), Phase::Middlegame);
        assert_eq!(phase("6k1/pppq1ppp/8/8/8/8/PPPQ1PPP/6K1 w - - 0 1"), Phase::Endgame);
    }
}
