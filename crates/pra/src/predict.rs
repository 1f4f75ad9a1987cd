//! Predictions for positions: move probabilities and value as text, as JSON, as a picture, or as raw
//! tensors.

use std::fmt::Write;

use chess::picture::{Style, text_board};
use chess::svg::{Arrow, BoardPicture, ShapeColor};
use chess::{CastlingStyle, Color, Game, Move, Position, Square};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError};
use serde_json::{Value, json};

use crate::encode::{Context, PLAIN_MOVES, earlier_boards, tokens_in};
use crate::masks::piece_masks;
use crate::player::{Player, at_temperature, expected_score};
use crate::{Transformer, Weights};

/// Positions of an inference batch.
const BATCH: usize = 256;
/// Moves with a smaller probability have no arrow.
const MIN_ARROW: f32 = 0.005;

/// Why there is no prediction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// An output is NaN or infinite.
    #[error("the outputs of the model are not finite numbers: {0}")]
    NotFinite(String),
    /// The tensors could not be serialized.
    #[error(transparent)]
    Tensors(#[from] SafeTensorError),
}

/// The prediction for a position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionPrediction {
    /// The position.
    pub position: Position,
    /// The legal moves with their probabilities, highest first.
    pub moves: Vec<(Move, f32)>,
    /// Win, draw and loss probabilities of the side to move.
    pub wdl: [f32; 3],
}

impl PositionPrediction {
    /// Predicts with the move probabilities at a temperature.
    pub fn new(
        player: &mut Player,
        position: &Position,
        temperature: f32,
    ) -> Result<Self, PredictError> {
        player.predict(position).at_temperature(temperature)
    }

    /// The same for the position of a game, whose last moves the model sees.
    pub fn of_game(
        player: &mut Player,
        game: &Game,
        temperature: f32,
    ) -> Result<Self, PredictError> {
        player.predict_game(game).at_temperature(temperature)
    }

    fn at_temperature(mut self, temperature: f32) -> Result<Self, PredictError> {
        if !self.is_finite() {
            return Err(PredictError::NotFinite(self.position.fen()));
        }
        if temperature != 1.0 {
            let probabilities: Vec<f32> = self.moves.iter().map(|m| m.1).collect();
            let tempered = at_temperature(&probabilities, temperature);
            self.moves.iter_mut().zip(tempered).for_each(|(m, p)| m.1 = p);
        }
        Ok(self)
    }

    /// Whether all probabilities are finite; see [`crate::Prediction::is_finite`].
    pub fn is_finite(&self) -> bool {
        self.moves.iter().map(|m| m.1).chain(self.wdl).all(f32::is_finite)
    }

    /// Expected score of the side to move, from 0 to 1.
    pub fn expected_score(&self) -> f32 {
        expected_score(self.wdl)
    }

    /// White's expected score.
    pub fn white_expected_score(&self) -> f32 {
        let expected = self.expected_score();
        if self.position.turn() == Color::White { expected } else { 1.0 - expected }
    }

    /// The most probable move, White's expected score and the FEN, in one line.
    pub fn to_line(&self) -> String {
        let position = &self.position;
        let (m, probability) = match self.moves.first() {
            Some(&(m, p)) => (position.san(m).to_string(), format!("{:5.1} %", 100.0 * p)),
            None => ("–".to_owned(), "      –".to_owned()),
        };
        format!("{m:7} {probability}  {:.3}  {}", self.white_expected_score(), position.fen())
    }

    /// Board, value and the `top` most probable moves with bars.
    pub fn to_text(&self, top: usize) -> String {
        let Self { position, moves, wdl } = self;
        let turn = position.turn();
        let [win, draw, loss] = wdl.map(|p| 100.0 * p);
        let mut out = text_board(|square| position.piece_at(square), turn, Style::Unicode);
        let _ = write!(
            out,
            "\nFEN  {}\n{turn} to move wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %\n\
             White expects {:.3} points\n\n",
            position.fen(),
            self.white_expected_score()
        );
        if moves.is_empty() {
            let why = if position.in_check() { "mated" } else { "stalemated" };
            let _ = writeln!(out, "There is no legal move: {turn} is {why}");
        }
        let most = moves.first().map_or(0.0, |m| m.1).max(1e-9);
        for &(m, probability) in moves.iter().take(top) {
            let (san, bar) = (position.san(m).to_string(), bar(probability / most, 40));
            let _ = writeln!(out, "{san:8} {:6.2} %  {bar}", 100.0 * probability);
        }
        if moves.len() > top {
            let rest: f32 = moves.iter().skip(top).map(|m| m.1).sum();
            let more = format!("{} more", moves.len() - top);
            let _ = writeln!(out, "{more:8} {:6.2} %", 100.0 * rest);
        }
        out
    }

    /// The prediction as JSON, with the `top` most probable moves.
    pub fn to_json(&self, top: usize) -> Value {
        let position = &self.position;
        let moves = self.moves.iter().take(top).map(|&(m, probability)| {
            let uci = position.uci(m, CastlingStyle::Standard);
            json!({
                "san": position.san(m).to_string(),
                "uci": uci.as_str(),
                "probability": probability,
            })
        });
        let value = |[win, draw, loss]: [f32; 3], expected: f32| json!({ "win": win, "draw": draw, "loss": loss, "expected": expected });
        let [win, draw, loss] = self.wdl;
        let white_wdl = if position.turn() == Color::White { self.wdl } else { [loss, draw, win] };
        json!({
            "fen": position.fen(),
            "legal_moves": self.moves.len(),
            "moves": moves.collect::<Vec<_>>(),
            "value": value(self.wdl, self.expected_score()),
            "white": value(white_wdl, self.white_expected_score()),
        })
    }

    /// The board with arrows for the `top` most probable moves; wider arrows are more probable.
    pub fn picture(&self, top: usize, last_move: Option<(Square, Square)>) -> BoardPicture {
        let position = &self.position;
        let arrow = |(n, &(m, probability)): (usize, &(Move, f32))| {
            let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
            let color = if n == 0 { ShapeColor::Green } else { ShapeColor::Blue };
            let strength = probability.clamp(0.0, 1.0).sqrt();
            Arrow {
                width: 0.04 + 0.18 * strength,
                opacity: 0.25 + 0.6 * strength,
                ..Arrow::new(m.from(), to, color)
            }
        };
        let shown = self.moves.iter().enumerate().take(top).filter(|(_, m)| m.1 >= MIN_ARROW);
        let mut arrows: Vec<Arrow> = shown.map(arrow).collect();
        // The last arrow is drawn on top.
        arrows.reverse();
        BoardPicture {
            orientation: position.turn(),
            size: 560,
            last_move,
            check: position.in_check().then(|| position.king(position.turn())),
            arrows,
            title: format!("Likely moves: {}", position.fen()),
            ..BoardPicture::of(|square| position.piece_at(square))
        }
    }
}

/// A bar that fills a fraction of `width` characters.
fn bar(fraction: f32, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (fraction.clamp(0.0, 1.0) * width as f32 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Raw outputs for the positions of games as a safetensors file: `policy` `[n, 4096]`, `value` `[n]`, and `masks`
/// `[9, 64, 64]` of the piece heads.
pub fn raw_tensors(
    weights: &Weights,
    games: &[Game],
    [own, opponent]: [Option<u16>; 2],
    threads: usize,
) -> Result<Vec<u8>, PredictError> {
    let config = weights.config();
    let mut model = Transformer::new(config, threads);
    let (mut policy, mut value) = (Vec::new(), Vec::new());
    for batch in games.chunks(BATCH) {
        let inputs = batch.iter().map(|game| {
            let is_white = game.position().turn() == Color::White;
            let ratings = if is_white { [own, opponent] } else { [opponent, own] };
            let context = Context { earlier: &earlier_boards(game), ratings };
            tokens_in(config, game.position(), &context)
        });
        let inputs: Vec<_> = inputs.collect();
        for (prediction, game) in model.predict(weights, &inputs).iter().zip(batch) {
            if !prediction.is_finite() {
                return Err(PredictError::NotFinite(game.position().fen()));
            }
            policy.extend(prediction.logits.iter().take(PLAIN_MOVES).flat_map(|x| x.to_le_bytes()));
            value.extend(prediction.value().to_le_bytes());
        }
    }
    let masks: Vec<u8> = piece_masks(config)
        .iter()
        .flatten()
        .flat_map(|keys| Square::all().map(|to| u8::from(keys.has(to))))
        .collect();
    let n = games.len();
    let tensors = [
        ("policy", TensorView::new(Dtype::F32, vec![n, PLAIN_MOVES], &policy)?),
        ("value", TensorView::new(Dtype::F32, vec![n], &value)?),
        ("masks", TensorView::new(Dtype::U8, vec![9, 64, 64], &masks)?),
    ];
    Ok(safetensors::serialize(tensors, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_fraction() {
        assert_eq!(
            (bar(0.0, 4), bar(1.0, 4), bar(0.5, 3)),
            ("".into(), "████".into(), "█▌".into())
        );
        assert_eq!(bar(f32::NAN, 4), "");
    }
}
