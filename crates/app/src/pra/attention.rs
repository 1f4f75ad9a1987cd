//! `tabiya pra attention`: where a model looks.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::data::{Column, Manifest, Reader, ReaderOptions, Split};
use anyhow::{bail, ensure};
use chess::{Position, Square};
use pra::attention::{
    Maps, PIECES, Resemblance, closest, looked_at, mean_attention, received, resemblances,
};
use pra::config::HEADS;
use pra::masks::head_name;
use pra::picture::{HeadPicture, Overview, View};
use pra::{Engine, Weights};
use serde_json::json;

use super::model::{ensure_not_model, model_folder_or_shipped};
use super::predict;
use crate::layout::{Table, prose, width};
use crate::threads::Threads;
use crate::{Outcome, input, output};

/// Draws where the heads of a model look, and tells what its free heads have learned
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
    /// The folder of a model; the one in this program unless given
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// The position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// The layer, counted from 1
    #[arg(long, value_name = "L", requires = "head", conflicts_with_all = ["all", "free"])]
    layer: Option<usize>,
    /// The head: its number from 1, or its name
    #[arg(long, value_name = "H", requires = "layer", conflicts_with_all = ["all", "free"])]
    head: Option<String>,
    /// Show what this square looks at, instead of what all squares look at
    #[arg(long, value_name = "SQUARE", requires = "head")]
    square: Option<Square>,
    /// All heads of all layers
    #[arg(long, conflicts_with = "free")]
    all: bool,
    /// Which pieces the free heads resemble, by the correlation of their patterns and of their attention
    /// with what pieces reach
    #[arg(long)]
    free: bool,
    /// Write the picture of the head, or of all heads
    #[arg(long, value_name = "FILE", conflicts_with = "free")]
    svg: Option<PathBuf>,
    /// Write a page with all heads and the patterns of the free ones
    #[arg(long, value_name = "FILE", requires = "all")]
    html: Option<PathBuf>,
    /// Positions for the mean attention of the free heads, one FEN a line; those of `tabiya bench`
    /// unless given
    #[arg(long, value_name = "FENS", conflicts_with = "data")]
    positions: Option<PathBuf>,
    /// … or the first 500 of a data set's validation split
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Positions of a data set that are looked at.
const DATA_POSITIONS: usize = 500;

pub fn run(args: &AttentionArgs, out: &mut dyn Write) -> Outcome {
    ensure!(
        args.all || args.free || args.layer.is_some(),
        "nothing to show: give --layer and --head, --all, or --free"
    );
    let outputs = [&args.svg, &args.html].into_iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(outputs, args.positions.as_deref())?;
    ensure_not_model([&args.svg, &args.html], args.model.as_deref())?;
    let weights = model_folder_or_shipped(args.model.as_deref())?;
    let mut engine = Engine::new(weights.config(), args.threads.count().get());
    let game = input::game(&args.fen)?;
    let position = game.position();
    if args.free {
        let positions = args.mean_positions()?;
        let means = mean_attention(&mut engine, &weights, &positions);
        write_free(&resemblances(&weights, &means), positions.len(), args.json, out)?;
    } else if args.all {
        all(args, &weights, &mut engine, position, out)?;
    } else {
        one(args, &weights, &mut engine, position, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl AttentionArgs {
    fn mean_positions(&self) -> anyhow::Result<Vec<Position>> {
        if let Some(path) = &self.positions {
            return predict::read(path);
        }
        let Some(folder) = &self.data else {
            let read = |fen: &&str| Ok(Position::from_fen(fen)?);
            return engine::bench::POSITIONS.iter().map(read).collect();
        };
        let columns = Manifest::open(folder)?.column_list()?;
        let column = if columns.contains(&Column::Board) { Column::Board } else { Column::Fen };
        let options = ReaderOptions {
            split: Split::Validation,
            columns: vec![column],
            ..ReaderOptions::default()
        };
        let mut reader = Reader::open(folder, &options)?;
        let mut positions = Vec::new();
        while positions.len() < DATA_POSITIONS
            && let Some(row) = reader.next_row()
        {
            let row = row?;
            let board = row.board().and_then(|board| board.position().ok());
            let position = board.or_else(|| row.fen().and_then(|fen| Position::from_fen(fen).ok()));
            positions.extend(position);
        }
        ensure!(!positions.is_empty(), "{} has no validation split", folder.display());
        Ok(positions)
    }
}

/// A head from its number or name, counted from 0.
fn parse_head(text: &str) -> anyhow::Result<usize> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
    if let Some(head) = (0..HEADS).find(|&head| plain(head_name(head)) == plain(text)) {
        return Ok(head);
    }
    match text.parse::<usize>() {
        Ok(number) if (1..=HEADS).contains(&number) => Ok(number - 1),
        _ => bail!("there is no head '{text}': they are 1 to {HEADS}, or knight1 to free3"),
    }
}

fn one(
    args: &AttentionArgs,
    weights: &Weights,
    engine: &mut Engine,
    position: &Position,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let depth = weights.config().depth;
    let layer = args.layer.unwrap_or(1);
    ensure!((1..=depth).contains(&layer), "there is no layer {layer}: the model has 1 to {depth}");
    let head = parse_head(args.head.as_deref().unwrap_or("1"))?;
    let maps = Maps::of(engine, weights, position);
    let map = maps.map(layer - 1, head);
    let name = format!("layer {layer}, {}", head_name(head));
    if let Some(path) = &args.svg {
        let view = args.square.map_or(View::Received, View::From);
        let below = position.turn();
        output::write(path, HeadPicture { position, map, name: &name, view, below }.to_svg())?;
    }
    let shares = args.square.map_or_else(|| received(map), |square| looked_at(map, square));
    if args.json {
        let squares: serde_json::Map<String, serde_json::Value> = Square::all()
            .map(|square| (square.name().to_owned(), shares[square.index()].into()))
            .collect();
        let from = args.square.map(|square| square.name());
        let report = json!({ "fen": position.fen(), "layer": layer, "head": head_name(head), "from": from, "shares": squares });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let what = match args.square {
        None => "per cent of all attention that each square receives".to_owned(),
        Some(square) => format!("per cent of its attention that {square} gives to each square"),
    };
    writeln!(out, "{name}: {what}\n")?;
    for rank in (0..8).rev() {
        write!(out, "{} ", rank + 1)?;
        for file in 0..8 {
            let square = Square::from_index(rank * 8 + file);
            let piece = position.piece_at(square).map_or('·', |piece| piece.symbol());
            write!(out, " {:5.1} {piece}", 100.0 * shares[square.index()])?;
        }
        writeln!(out)?;
    }
    writeln!(out, "       a       b       c       d       e       f       g       h")?;
    Ok(())
}

fn all(
    args: &AttentionArgs,
    weights: &Weights,
    engine: &mut Engine,
    position: &Position,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    ensure!(
        args.svg.is_some() || args.html.is_some(),
        "all heads make a picture: give --svg FILE or --html FILE"
    );
    let maps = Maps::of(engine, weights, position);
    let positions = if args.html.is_some() { args.mean_positions()? } else { Vec::new() };
    let means = mean_attention(engine, weights, &positions);
    let resemblances = resemblances(weights, &means);
    let overview = Overview {
        weights,
        position,
        maps: &maps,
        means: &means,
        positions: positions.len(),
        resemblances: &resemblances,
        below: position.turn(),
    };
    if let Some(path) = &args.svg {
        output::write(path, overview.heads_svg())?;
        writeln!(out, "{}", path.display())?;
    }
    if let Some(path) = &args.html {
        output::write(path, overview.html())?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn write_free(
    found: &[Resemblance],
    positions: usize,
    as_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if as_json {
        let pieces = PIECES.map(|piece| piece.to_string());
        let report = json!({ "positions": positions, "pieces": pieces, "heads": found });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let pieces = PIECES.map(|piece| piece.to_string());
    let heading = ["head", "numbers", ""].map(str::to_owned).into_iter().chain(pieces);
    let mut table = Table::new(heading.chain(["closest".to_owned()]), &[0, 1, 2, 9], 3);
    for head in found {
        let range = format!("{:.3}–{:.3}", head.range[0], head.range[1]);
        let name = format!("layer {}, free {}", head.layer, head.head);
        for (name, range, what, numbers) in [
            (name.as_str(), range.as_str(), "pattern", &head.pattern),
            ("", "", "attention", &head.attention),
        ] {
            let closest = closest(numbers).map_or("–".to_owned(), |piece| piece.to_string());
            let mut cells = [name, range, what].map(str::to_owned).to_vec();
            cells.extend(numbers.iter().map(|number| format!("{number:.2}")));
            cells.push(closest);
            table.row(cells);
        }
    }
    write!(out, "{}", table.without(&[1], width()))?;
    prose(
        out,
        format_args!(
            "Correlations over all pairs of different squares with what each piece reaches on the \
             empty board: of the learned pattern, and of the attention, its mean over {positions} positions"
        ),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_numbers_and_names() {
        assert_eq!(parse_head("1").unwrap(), 0);
        assert_eq!(parse_head("12").unwrap(), 11);
        assert_eq!(parse_head("knight2").unwrap(), 1);
        assert_eq!(parse_head("Knight 2").unwrap(), 1);
        assert_eq!(parse_head("queen").unwrap(), 6);
        assert_eq!(parse_head("free-3").unwrap(), 11);
        for bad in ["0", "13", "-1", "duke", ""] {
            assert!(parse_head(bad).is_err(), "{bad}");
        }
    }
}
