//! `tabiya pra attention`: attention weights of the heads.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::data::Split;
use anyhow::{Context, ensure};
use chess::{Position, Square};
use layout::width;
use pra::attention::{AttentionMaps, FreeHeads, received, weights_of};
use pra::config::HEADS;
use pra::masks::{head_name, parse_head};
use pra::picture::{HeadPicture, Overview, View, text_board};
use pra::{Transformer, first_positions};
use serde_json::json;

use super::model::{ensure_not_model, model_folder_or_shipped};
use super::predict;
use crate::threads::Threads;
use crate::{Outcome, input, output};

/// Show the attention weights of the heads, and the learned masks of the free heads
///
/// Heads are numbered from 1, or named: knight1, knight2, bishop1, bishop2, rook1, rook2, queen, king,
/// pawn, free1, free2, free3. Layers are numbered from 1.
///
/// Examples:
///   tabiya pra attention --fen 'startpos moves e2e4' --layer 3 --head knight1 --svg head.svg
///   tabiya pra attention --layer 1 --head queen --square d1 --svg queen.svg
///   tabiya pra attention --all --html page.html
///   tabiya pra attention --free
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct AttentionArgs {
    /// Model directory [default: the embedded model]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Position as FEN, or as 'FEN moves e2e4 …' or 'startpos moves …'
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Layer, counted from 1
    #[arg(long, value_name = "L", requires = "head", conflicts_with_all = ["all", "free"])]
    layer: Option<usize>,
    /// Head: its number from 1, or its name
    #[arg(long, value_name = "H", requires = "layer", conflicts_with_all = ["all", "free"])]
    head: Option<String>,
    /// Show the attention weights of this query square, instead of the mean over all queries
    #[arg(long, value_name = "SQUARE", requires = "head")]
    square: Option<Square>,
    /// All heads of all layers
    #[arg(long, conflicts_with = "free")]
    all: bool,
    /// Correlate the learned masks and the mean attention of the free heads with the masks of the pieces
    #[arg(long)]
    free: bool,
    /// Write a picture of the head, or of all heads
    #[arg(long, value_name = "FILE", conflicts_with = "free")]
    svg: Option<PathBuf>,
    /// Write a page with all heads and the learned masks of the free heads
    #[arg(long, value_name = "FILE", requires = "all")]
    html: Option<PathBuf>,
    /// Positions for the mean attention, one FEN per line [default: those of `tabiya bench`]
    #[arg(long, value_name = "FENS", conflicts_with = "data")]
    positions: Option<PathBuf>,
    /// Data set for the mean attention: the first 500 positions of its validation split
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Positions of a data set for the mean attention.
const DATA_POSITIONS: usize = 500;

pub fn run(args: &AttentionArgs, out: &mut dyn Write) -> Outcome {
    ensure!(
        args.all || args.free || args.layer.is_some(),
        "nothing to show: give --layer and --head, --all, or --free"
    );
    ensure!(
        !args.all || args.svg.is_some() || args.html.is_some(),
        "--all writes a picture: give --svg FILE or --html FILE"
    );
    let outputs = [&args.svg, &args.html].into_iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(outputs, args.positions.as_deref())?;
    ensure_not_model([&args.svg, &args.html], args.model.as_deref())?;
    let weights = model_folder_or_shipped(args.model.as_deref())?;
    let mut model = Transformer::new(weights.config(), args.threads.count().get());
    let game = input::game(&args.fen)?;
    let position = game.position();
    if args.free {
        let positions = args.mean_positions()?;
        let report = FreeHeads::new(&mut model, &weights, &positions);
        match args.json {
            true => writeln!(out, "{}", report.to_json())?,
            false => write!(out, "{}", report.to_text(width()))?,
        }
    } else if args.all {
        let positions = if args.html.is_some() { args.mean_positions()? } else { Vec::new() };
        args.write_all(&Overview::new(&mut model, &weights, position, &positions), out)?;
    } else {
        let maps = AttentionMaps::new(&mut model, &weights, position);
        args.write_one(&maps, position, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl AttentionArgs {
    fn mean_positions(&self) -> anyhow::Result<Vec<Position>> {
        match (&self.positions, &self.data) {
            (Some(path), _) => predict::read(path),
            (None, Some(folder)) => Ok(first_positions(folder, Split::Validation, DATA_POSITIONS)?),
            (None, None) => {
                let fens = engine::bench::POSITIONS.iter();
                fens.map(|fen| Ok(Position::from_fen(fen)?)).collect()
            }
        }
    }

    fn write_one(
        &self,
        maps: &AttentionMaps,
        position: &Position,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let depth = maps.depth();
        let layer = self.layer.unwrap_or(1);
        ensure!(
            (1..=depth).contains(&layer),
            "there is no layer {layer}: the model has 1 to {depth}"
        );
        let text = self.head.as_deref().unwrap_or("1");
        let head = parse_head(text).with_context(|| {
            format!("there is no head '{text}': they are 1 to {HEADS}, or knight1 to free3")
        })?;
        let map = maps.map(layer - 1, head);
        let name = format!("layer {layer}, {}", head_name(head));
        if let Some(path) = &self.svg {
            let view = self.square.map_or(View::Received, View::Query);
            let orientation = position.turn();
            let picture = HeadPicture { position, map, name: &name, view, orientation };
            output::write(path, picture.to_svg())?;
        }
        let shown = self.square.map_or_else(|| received(map), |square| weights_of(map, square));
        if self.json {
            let weights = Square::all().map(|square| (square.name(), shown[square.index()]));
            let report = json!({
                "fen": position.fen(),
                "layer": layer,
                "head": head_name(head),
                "from": self.square.map(|square| square.name()),
                "weights": weights.collect::<BTreeMap<_, _>>(),
            });
            writeln!(out, "{report}")?;
            return Ok(());
        }
        let what = match self.square {
            None => "attention received by each square, mean over all queries, in %".to_owned(),
            Some(square) => format!("attention weights of query {square}, in %"),
        };
        writeln!(out, "{name}: {what}\n")?;
        write!(out, "{}", text_board(position, &shown))?;
        Ok(())
    }

    fn write_all(&self, overview: &Overview<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
        if let Some(path) = &self.svg {
            output::write(path, overview.heads_svg())?;
            writeln!(out, "{}", path.display())?;
        }
        if let Some(path) = &self.html {
            output::write(path, overview.html())?;
            writeln!(out, "{}", path.display())?;
        }
        Ok(())
    }
}
