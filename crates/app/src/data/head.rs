//! `tabiya data head`: the first rows, to look at.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::data::{Column, Manifest, RowView, Shard};
use clap::Args;
use serde_json::{Map, Value};

use crate::Outcome;

#[derive(Args)]
pub struct HeadArgs {
    /// The folder of a data set, or one of its files.
    #[arg(value_name = "DIR|FILE")]
    path: PathBuf,
    /// How many rows.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    rows: u64,
    /// Which columns, with commas; all but `board` unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<Column>,
    /// Print a JSON object for each row.
    #[arg(long)]
    json: bool,
}

fn value(row: RowView<'_>, column: Column) -> Value {
    match column {
        Column::Fen => row.fen().into(),
        Column::BestMove => row.best_move().into(),
        Column::Eval => row.eval().into(),
        Column::Mate => row.mate().into(),
        Column::Result => row.result().into(),
        Column::Ply => row.ply().into(),
        Column::WhiteElo => row.white_elo().into(),
        Column::BlackElo => row.black_elo().into(),
        Column::Game => row.game().into(),
        Column::Clock => row.clock().into(),
        Column::Board => row
            .board()
            .map(|board| {
                board.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
            })
            .into(),
    }
}

fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let manifest = Manifest::open(path)?;
    Ok(manifest.files.iter().map(|file| path.join(&file.path)).collect())
}

pub fn run(args: &HeadArgs, out: &mut dyn Write) -> Outcome {
    let mut left = args.rows;
    let mut has_title = false;
    for path in files(&args.path)? {
        let shard = Shard::open(&path)?;
        let columns: Vec<Column> = match args.columns.is_empty() {
            true => {
                shard.columns().iter().copied().filter(|&column| column != Column::Board).collect()
            }
            false => args.columns.clone(),
        };
        if !args.json && !has_title {
            has_title = true;
            writeln!(
                out,
                "{}",
                columns.iter().map(|column| column.name()).collect::<Vec<_>>().join("\t")
            )?;
        }
        for block in 0..shard.blocks().len() {
            if left == 0 {
                return Ok(ExitCode::SUCCESS);
            }
            for row in shard
                .read(block, &columns)?
                .iter()
                .take(usize::try_from(left).unwrap_or(usize::MAX))
            {
                left -= 1;
                let values = columns.iter().map(|&column| (column.name(), value(row, column)));
                if args.json {
                    let object: Map<String, Value> =
                        values.map(|(name, value)| (name.to_owned(), value)).collect();
                    writeln!(out, "{}", Value::Object(object))?;
                } else {
                    let texts: Vec<String> = values
                        .map(|(_, value)| match value {
                            Value::Null => "-".to_owned(),
                            Value::String(text) => text,
                            value => value.to_string(),
                        })
                        .collect();
                    writeln!(out, "{}", texts.join("\t"))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
