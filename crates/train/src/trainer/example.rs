//! What is learned from one row: active inputs of both perspectives, and the result to be expected.
//!
//! A row is read straight from its bits ([`PackedRow::pieces`]); whether it is a legal position was asked
//! when the data set was made. Bytes that cannot be learned from are left out and counted.

use chess::pgn::{GameResult, Score};
use chess::{Color, PackedRow, PieceType};
use nnue::Shape;
use serde::{Deserialize, Serialize};

/// The most pieces a row can have.
const PIECES: usize = 32;

/// A row, ready for the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// Active inputs: the mover's perspective, then the other's.
    inputs: [[u16; PIECES]; 2],
    pieces: u8,
    /// Which output layer.
    pub(super) bucket: u8,
    /// What is to be expected for the mover, 0 (a loss) to 1 (a win).
    pub(super) target: f32,
}

impl Example {
    pub(super) const EMPTY: Self =
        Self { inputs: [[0; PIECES]; 2], pieces: 0, bucket: 0, target: 0.0 };

    /// The active inputs of the mover (0) or the other player (1).
    #[inline(always)]
    pub(super) fn inputs(&self, side: usize) -> &[u16] {
        &self.inputs[side][..usize::from(self.pieces) & 63]
    }
}

/// Rows that were learned from, and those that were not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCounts {
    /// Learned from.
    pub used: u64,
    /// Left out: not one king for each player, or no score that means anything.
    pub damaged: u64,
    /// Left out: neither a score nor a result.
    pub without_target: u64,
    /// Left out: a mate, or a score beyond the limit.
    pub beyond_limit: u64,
}

impl RowCounts {
    /// The largest of the counts.
    pub(super) fn largest(&self) -> u64 {
        [self.used, self.damaged, self.without_target, self.beyond_limit]
            .into_iter()
            .fold(0, u64::max)
    }

    /// All that were not learned from.
    pub const fn left_out(&self) -> u64 {
        self.damaged + self.without_target + self.beyond_limit
    }

    pub(super) const fn append(&mut self, other: &Self) {
        self.used += other.used;
        self.damaged += other.damaged;
        self.without_target += other.without_target;
        self.beyond_limit += other.beyond_limit;
    }
}

/// How scores and results become what is to be learned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Target {
    /// The share of the score where a row has both; the result has the rest.
    pub(super) lambda: f32,
    /// Centipawns by which the expectation rises from 1/2 to 1/(1 + 1/e) = 0.73.
    pub(super) scale: f32,
    /// Rows with a score beyond this are left out.
    pub(super) max_score: i32,
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Target {
    /// What is to be expected for White, or how the row counts.
    fn expectation(&self, row: &PackedRow) -> Result<f32, Skip> {
        let by_score = match row.score() {
            Err(_) => return Err(Skip::Damaged),
            Ok(None) => None,
            Ok(Some(Score::Mate(_))) => return Err(Skip::BeyondLimit),
            Ok(Some(Score::Centipawns(score))) if score.abs() > self.max_score => {
                return Err(Skip::BeyondLimit);
            }
            Ok(Some(Score::Centipawns(score))) => Some(sigmoid(score as f32 / self.scale)),
        };
        let by_result = match row.result() {
            GameResult::Unknown => None,
            GameResult::BlackWins => Some(0.0),
            GameResult::Draw => Some(0.5),
            GameResult::WhiteWins => Some(1.0),
        };
        match (by_score, by_result) {
            (Some(score), Some(result)) => Ok(self.lambda * score + (1.0 - self.lambda) * result),
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => Err(Skip::WithoutTarget),
        }
    }
}

/// Why a row is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skip {
    Damaged,
    WithoutTarget,
    BeyondLimit,
}

/// Makes examples of rows.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    pub(super) shape: Shape,
    pub(super) target: Target,
}

impl Encoder {
    /// Makes an example of a row, if it can be learned from, and counts it.
    #[inline]
    pub(super) fn encode(
        &self,
        row: &PackedRow,
        example: &mut Example,
        counts: &mut RowCounts,
    ) -> bool {
        match self.try_encode(row, example) {
            Ok(()) => counts.used += 1,
            Err(Skip::Damaged) => counts.damaged += 1,
            Err(Skip::WithoutTarget) => counts.without_target += 1,
            Err(Skip::BeyondLimit) => counts.beyond_limit += 1,
        }
        example.pieces > 0
    }

    #[inline]
    fn try_encode(&self, row: &PackedRow, example: &mut Example) -> Result<(), Skip> {
        example.pieces = 0;
        let white = self.target.expectation(row)?;
        let mut kings = [None; 2];
        for (square, piece) in row.pieces() {
            if piece.piece_type() == PieceType::King
                && kings[piece.color().index()].replace(square).is_some()
            {
                return Err(Skip::Damaged);
            }
        }
        let [Some(white_king), Some(black_king)] = kings else { return Err(Skip::Damaged) };
        let views = [
            self.shape.perspective(Color::White, white_king),
            self.shape.perspective(Color::Black, black_king),
        ];
        let (own, other, target) = match row.turn() {
            Color::White => (views[0], views[1], white),
            Color::Black => (views[1], views[0], 1.0 - white),
        };
        let mut count = 0;
        for (square, piece) in row.pieces().take(PIECES) {
            example.inputs[0][count] = own.feature(piece, square) as u16;
            example.inputs[1][count] = other.feature(piece, square) as u16;
            count += 1;
        }
        example.pieces = count as u8;
        example.bucket = self.shape.output_bucket(count) as u8;
        example.target = target;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    fn encoder(lambda: f32) -> Encoder {
        let target = Target { lambda, scale: 400.0, max_score: 10_000 };
        Encoder { shape: Shape { mirrored: true, ..Shape::plain(32) }, target }
    }

    fn target(lambda: f32, fen: &str, score: Option<Score>, result: GameResult) -> Option<f32> {
        let position: Position = fen.parse().unwrap();
        let row = PackedRow::new(&position).unwrap().with_score(score).with_result(result);
        let mut example = Example::EMPTY;
        let is_used = encoder(lambda).encode(&row, &mut example, &mut RowCounts::default());
        is_used.then_some(example.target)
    }

    #[test]
    fn the_target_is_the_movers_and_mixes_what_there_is() {
        let (white, black) = ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
        let score = Some(Score::Centipawns(400));
        let expected = sigmoid(1.0);
        assert_eq!(target(1.0, white, score, GameResult::BlackWins), Some(expected));
        assert_eq!(target(1.0, black, score, GameResult::BlackWins), Some(1.0 - expected));
        assert_eq!(target(0.0, white, score, GameResult::Draw), Some(0.5));
        assert_eq!(target(0.0, white, score, GameResult::Unknown), Some(expected));
        assert_eq!(target(1.0, black, None, GameResult::BlackWins), Some(1.0));
        let mixed = target(0.75, white, score, GameResult::WhiteWins).unwrap();
        assert!((mixed - (0.75 * expected + 0.25)).abs() < 1e-6);
        assert_eq!(target(0.5, white, None, GameResult::Unknown), None);
        assert_eq!(target(0.5, white, Some(Score::Mate(3)), GameResult::WhiteWins), None);
        assert_eq!(target(0.5, white, Some(Score::Centipawns(-10_001)), GameResult::Draw), None);
    }

    #[test]
    fn inputs_are_those_of_the_shape_the_movers_first() {
        let position: Position =
            "r3k2r/p1ppqpb1/8/3pP3/8/8/1P4PP/R3K2R b KQkq - 0 1".parse().unwrap();
        let row = PackedRow::new(&position).unwrap().with_result(GameResult::Draw);
        let (encoder, mut example) = (encoder(1.0), Example::EMPTY);
        assert!(encoder.encode(&row, &mut example, &mut RowCounts::default()));
        for (side, color) in [Color::Black, Color::White].into_iter().enumerate() {
            let features = position.occupied().into_iter().map(|square| {
                let piece = position.piece_at(square).unwrap();
                encoder.shape.feature(color, position.king(color), piece, square) as u16
            });
            assert!(features.eq(example.inputs(side).iter().copied()));
        }
    }

    #[test]
    fn bytes_that_are_no_position_are_counted_and_left_out() {
        let (encoder, mut example) = (encoder(1.0), Example::EMPTY);
        let mut counts = RowCounts::default();
        for byte in [0u8, 0x55, 0xff] {
            let mut bytes = [byte; 32];
            bytes[24..26].copy_from_slice(&[0, 0]);
            let row = PackedRow::from_bytes(bytes).with_result(GameResult::Draw);
            assert!(!encoder.encode(&row, &mut example, &mut counts));
        }
        let row = PackedRow::new(&Position::INITIAL).unwrap();
        assert!(!encoder.encode(&row, &mut example, &mut counts));
        assert_eq!((counts.used, counts.damaged, counts.without_target), (0, 3, 1));
    }
}
