//! `tabiya data head`: prints the first rows.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::data::{Column, Manifest, Shard};
use clap::Args;
use serde_json::{Map, Value};

use crate::Outcome;

#[derive(Args)]
pub struct HeadArgs {
    /// Directory of a data set, or one of its files
    #[arg(value_name = "DIR|FILE")]
    path: PathBuf,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    rows: u64,
    /// Columns, separated by commas [default: all but board]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<Column>,
    /// Print a JSON object for each row
    #[arg(long)]
    json: bool,
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
    let mut has_title = args.json;
    for path in files(&args.path)? {
        let shard = Shard::open(&path)?;
        let mut columns = args.columns.clone();
        if columns.is_empty() {
            columns = shard.columns().to_vec();
            columns.retain(|column| ![Column::Board, Column::History].contains(column));
        }
        if !has_title {
            has_title = true;
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            writeln!(out, "{}", names.join("\t"))?;
        }
        for group in 0..shard.row_groups().len() {
            if left == 0 {
                return Ok(ExitCode::SUCCESS);
            }
            let batch = shard.read(group, &columns)?;
            for row in batch.iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
                left -= 1;
                let values = columns.iter().map(|&column| (column.name(), row.to_json(column)));
                if args.json {
                    let object = values.map(|(name, value)| (name.to_owned(), value));
                    writeln!(out, "{}", Value::Object(object.collect::<Map<_, _>>()))?;
                } else {
                    let texts = values.map(|(_, value)| match value {
                        Value::Null => "-".to_owned(),
                        Value::String(text) => text,
                        value => value.to_string(),
                    });
                    writeln!(out, "{}", texts.collect::<Vec<_>>().join("\t"))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
