//! `tabiya pra predict`: what a model says of positions.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use chess::picture::{Style, text_board};
use chess::svg::{Arrow, BoardPicture, MarkColor};
use chess::{CastlingStyle, Color, Move, Position};
use pra::encode::PLAIN_MOVES;
use pra::masks::piece_masks;
use pra::player::{Opinion, Player, at_temperature};
use pra::{Engine, Weights};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

use super::model::{NOT_FINITE, ensure_not_model, model_folder_or_shipped};
use crate::threads::Threads;
use crate::{Outcome, input, output};

/// Shows which moves a model holds likely, and who it thinks will win
///
/// Examples:
///   tabiya pra predict --fen 'startpos moves e2e4 e7e5'
///   tabiya pra predict --fen '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1' --svg moves.svg
///   tabiya pra predict --file positions.txt --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PredictArgs {
    /// The folder of a model; the one in this program unless given
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// The position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, default_value = "startpos", conflicts_with = "file")]
    fen: String,
    /// Many positions, one FEN a line; '-' for standard input. A line is printed for each
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Write what the model says of them to a safetensors file: policy [n,4096], value [n], and the
    /// masks [9,64,64] of its piece heads
    #[arg(long, value_name = "FILE", requires = "file", conflicts_with_all = ["json", "svg"])]
    raw: Option<PathBuf>,
    /// Show so many moves
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Probabilities at this temperature: below 1 likely moves are likelier, at 0 one is certain
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = temperature)]
    temperature: f32,
    /// Draw the board with arrows for these moves
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn temperature(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if !(0.0..=100.0).contains(&value) {
        return Err("it must be from 0 to 100".to_owned());
    }
    Ok(value)
}

pub fn run(args: &PredictArgs, out: &mut dyn Write) -> Outcome {
    let outputs = [&args.raw, &args.svg].into_iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(outputs, args.file.as_deref())?;
    ensure_not_model([&args.raw, &args.svg], args.model.as_deref())?;
    let weights = model_folder_or_shipped(args.model.as_deref())?;
    let threads = args.threads.count().get();
    if let Some(file) = &args.file {
        let positions = read(file)?;
        match &args.raw {
            Some(raw) => write_raw(&weights, &positions, threads, raw)?,
            None => many(args, weights, &positions, out)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let game = input::game(&args.fen)?;
    let position = game.position();
    let opinion = Said::new(args, &mut Player::new(weights, 1), position)?;
    if let Some(path) = &args.svg {
        let last = game.moves().last().map(|m| (m.from(), m.to()));
        output::write(path, opinion.picture(args.top, last).to_svg())?;
    }
    if args.json {
        writeln!(out, "{}", opinion.as_json(args.top))?;
    } else {
        opinion.write_text(args.top, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The positions of a file, one a line; what follows a semicolon is left out.
pub fn read(path: &Path) -> anyhow::Result<Vec<Position>> {
    let mut positions = Vec::new();
    input::each_line(input::open(path)?, |number, line| {
        let text = line?.split(';').next().unwrap_or_default().trim().to_owned();
        if !text.is_empty() && !text.starts_with('#') {
            let game =
                input::game(&text).with_context(|| format!("{}, line {number}", path.display()))?;
            positions.push(*game.position());
        }
        Ok(())
    })?;
    ensure!(!positions.is_empty(), "{} has no positions", path.display());
    Ok(positions)
}

fn many(
    args: &PredictArgs,
    weights: Weights,
    positions: &[Position],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut player = Player::new(weights, 1);
    for position in positions {
        let said = Said::new(args, &mut player, position)?;
        if args.json {
            writeln!(out, "{}", said.as_json(args.top))?;
            continue;
        }
        let (m, probability) = match said.moves.first() {
            Some(&(m, p)) => (position.san(m).to_string(), format!("{:5.1} %", 100.0 * p)),
            None => ("–".to_owned(), "      –".to_owned()),
        };
        writeln!(out, "{m:7} {probability}  {:.3}  {}", said.white_expects(), position.fen())?;
    }
    Ok(())
}

/// What was said of a position, at the temperature asked for.
struct Said {
    position: Position,
    moves: Vec<(Move, f32)>,
    opinion: Opinion,
}

impl Said {
    fn new(args: &PredictArgs, player: &mut Player, position: &Position) -> anyhow::Result<Self> {
        let opinion = player.opinion(position);
        ensure!(opinion.is_finite(), "{NOT_FINITE}: {}", position.fen());
        let probabilities: Vec<f32> = opinion.moves.iter().map(|m| m.1).collect();
        let moves = if args.temperature == 1.0 {
            opinion.moves.clone()
        } else {
            let tempered = at_temperature(&probabilities, args.temperature);
            opinion.moves.iter().map(|m| m.0).zip(tempered).collect()
        };
        Ok(Self { position: *position, moves, opinion })
    }

    fn white_expects(&self) -> f32 {
        let expected = self.opinion.expected();
        if self.position.turn() == Color::White { expected } else { 1.0 - expected }
    }

    /// Win, draw and loss as White sees them.
    fn white_wdl(&self) -> [f32; 3] {
        let [win, draw, loss] = self.opinion.wdl;
        if self.position.turn() == Color::White { [win, draw, loss] } else { [loss, draw, win] }
    }

    fn as_json(&self, top: usize) -> Value {
        let moves: Vec<Value> = self.moves.iter().take(top).map(|&(m, probability)| {
            let uci = self.position.uci(m, CastlingStyle::Standard);
            json!({ "san": self.position.san(m).to_string(), "uci": uci.as_str(), "probability": probability })
        }).collect();
        let [win, draw, loss] = self.opinion.wdl;
        let [white_win, white_draw, white_loss] = self.white_wdl();
        json!({
            "fen": self.position.fen(),
            "legal_moves": self.moves.len(),
            "moves": moves,
            "value": {
                "win": win, "draw": draw, "loss": loss,
                "expected": self.opinion.expected(),
            },
            "white": {
                "win": white_win, "draw": white_draw, "loss": white_loss,
                "expected": self.white_expects(),
            },
        })
    }

    fn write_text(&self, top: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        let position = &self.position;
        let turn = position.turn();
        let board = text_board(|square| position.piece_at(square), turn, Style::Unicode);
        write!(out, "{board}\nFEN  {}\n", position.fen())?;
        let [win, draw, loss] = self.opinion.wdl.map(|p| 100.0 * p);
        writeln!(out, "{turn} to move wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %")?;
        let white = self.white_expects();
        writeln!(out, "White expects {white:.3} points\n")?;
        if self.moves.is_empty() {
            let why = if position.in_check() { "mated" } else { "stalemated" };
            writeln!(out, "There is no legal move: {turn} is {why}")?;
            return Ok(());
        }
        let longest = self.moves.first().map_or(0.0, |m| m.1).max(1e-9);
        for &(m, probability) in self.moves.iter().take(top) {
            let bar = bar(probability / longest, 40);
            let san = position.san(m).to_string();
            writeln!(out, "{san:8} {:6.2} %  {bar}", 100.0 * probability)?;
        }
        let rest: f32 = self.moves.iter().skip(top).map(|m| m.1).sum();
        if self.moves.len() > top {
            writeln!(
                out,
                "{:8} {:6.2} %",
                format!("{} more", self.moves.len() - top),
                100.0 * rest
            )?;
        }
        Ok(())
    }

    /// The board with arrows, the broader the likelier.
    fn picture(
        &self,
        top: usize,
        last_move: Option<(chess::Square, chess::Square)>,
    ) -> BoardPicture {
        let position = &self.position;
        let arrow = |(n, &(m, probability)): (usize, &(Move, f32))| {
            let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
            let color = if n == 0 { MarkColor::Green } else { MarkColor::Blue };
            let strength = probability.clamp(0.0, 1.0).sqrt();
            Arrow {
                width: 0.04 + 0.18 * strength,
                opacity: 0.25 + 0.6 * strength,
                ..Arrow::new(m.from(), to, color)
            }
        };
        let shown = self.moves.iter().enumerate().take(top).filter(|(_, m)| m.1 >= 0.005);
        let mut arrows: Vec<Arrow> = shown.map(arrow).collect();
        // The likeliest lies on top.
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

/// A bar of a share of so many letters.
fn bar(share: f32, letters: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * letters as f32 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

/// Logits, values and masks as tensors, to be compared with other programs.
fn write_raw(
    weights: &Weights,
    positions: &[Position],
    threads: usize,
    path: &Path,
) -> anyhow::Result<()> {
    let config = weights.config();
    let mut engine = Engine::new(config, threads);
    let (mut policy, mut value) = (Vec::new(), Vec::new());
    for some in positions.chunks(256) {
        let tokens: Vec<_> = some.iter().map(|position| config.tokens(position)).collect();
        for (said, position) in engine.predict(weights, &tokens).iter().zip(some) {
            ensure!(said.is_finite(), "{NOT_FINITE}: {}", position.fen());
            policy.extend(said.logits.iter().take(PLAIN_MOVES).flat_map(|x| x.to_le_bytes()));
            value.extend(said.value().to_le_bytes());
        }
    }
    let squares = || chess::Square::all();
    let masks: Vec<u8> = piece_masks(config)
        .iter()
        .flatten()
        .flat_map(|seen| squares().map(|to| u8::from(seen.has(to))))
        .collect();
    let n = positions.len();
    let tensors = [
        ("policy", TensorView::new(Dtype::F32, vec![n, PLAIN_MOVES], &policy)?),
        ("value", TensorView::new(Dtype::F32, vec![n], &value)?),
        ("masks", TensorView::new(Dtype::U8, vec![9, 64, 64], &masks)?),
    ];
    output::write(path, safetensors::serialize(tensors, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(
            (bar(0.0, 4), bar(1.0, 4), bar(0.5, 3)),
            ("".into(), "████".into(), "█▌".into())
        );
        assert_eq!(bar(f32::NAN, 4), "");
    }
}
