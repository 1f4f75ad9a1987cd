//! A training example: the active inputs of both perspectives, and the target.
//!
//! A row is decoded straight from its bits ([`PackedRow::pieces`]); legality was checked when the data set
//! was made. Unusable rows are skipped and counted.

use chess::pgn::{GameResult, Score};
use chess::{Color, PackedRow, PieceType};
use nnue::Shape;
use nnue::network::Perspective;
use serde::{Deserialize, Serialize};

/// The maximum number of pieces.
const PIECES: usize = 32;

/// An example.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// Active inputs: perspective of the side to move, then of the opponent.
    inputs: [[u16; PIECES]; 2],
    pieces: u8,
    /// The output bucket.
    pub(super) bucket: u8,
    /// Expected score of the side to move, 0 (loss) to 1 (win).
    pub(super) target: f32,
}

impl Example {
    pub(super) const EMPTY: Self =
        Self { inputs: [[0; PIECES]; 2], pieces: 0, bucket: 0, target: 0.0 };

    /// The active inputs of the side to move (0) or the opponent (1).
    #[inline(always)]
    pub(super) fn inputs(&self, side: usize) -> &[u16] {
        &self.inputs[side][..usize::from(self.pieces) & 63]
    }
}

/// Rows used and skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCounts {
    /// Used.
    pub used: u64,
    /// Skipped: not exactly one king per side, or an invalid score.
    pub damaged: u64,
    /// Skipped: neither score nor result.
    pub without_target: u64,
    /// Skipped: a mate score, or one beyond the limit.
    pub beyond_limit: u64,
}

impl RowCounts {
    /// The largest of the counts.
    pub(super) fn largest(&self) -> u64 {
        [self.used, self.damaged, self.without_target, self.beyond_limit]
            .into_iter()
            .fold(0, u64::max)
    }

    /// All skipped rows.
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

/// How score and result become a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Target {
    /// The weight of the score where a row has both; the result has the rest.
    pub(super) lambda: f32,
    /// Centipawns with an expected score of 1/(1 + 1/e) = 0.73.
    pub(super) scale: f32,
    /// Rows with a score beyond this are skipped.
    pub(super) max_score: i32,
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Target {
    /// White's expected score, or why the row is skipped.
    fn expected_score(&self, row: &PackedRow) -> Result<f32, Skip> {
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

/// Why a row is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skip {
    Damaged,
    WithoutTarget,
    BeyondLimit,
}

/// Encodes rows.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    pub(super) shape: Shape,
    pub(super) target: Target,
}

impl Encoder {
    /// Encodes a row, if it is usable, and counts it.
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
        let white = self.target.expected_score(row)?;
        // One pass over the pieces, another over all slots: the second has no branch, and is vectorized.
        let mut kings = [None; 2];
        let mut plain = [[0; PIECES]; 2];
        let mut count = 0;
        for (square, piece) in row.pieces().take(PIECES) {
            if piece.piece_type() == PieceType::King
                && kings[piece.color().index()].replace(square).is_some()
            {
                return Err(Skip::Damaged);
            }
            for color in Color::ALL {
                plain[color.index()][count] = Perspective::plain_feature(color, piece, square);
            }
            count += 1;
        }
        let [Some(white_king), Some(black_king)] = kings else { return Err(Skip::Damaged) };
        let views = [
            (self.shape.perspective(Color::White, white_king), &plain[0]),
            (self.shape.perspective(Color::Black, black_king), &plain[1]),
        ];
        let (own, other, target) = match row.turn() {
            Color::White => (views[0], views[1], white),
            Color::Black => (views[1], views[0], 1.0 - white),
        };
        for (inputs, (perspective, plain)) in example.inputs.iter_mut().zip([own, other]) {
            for (input, plain) in inputs.iter_mut().zip(plain) {
                *input = perspective.placed(*plain);
            }
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
    fn the_target_is_from_the_side_to_move_and_mixes_score_and_result() {
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
    fn inputs_are_those_of_the_shape_side_to_move_first() {
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
    fn bytes_that_are_no_position_are_skipped_and_counted() {
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
