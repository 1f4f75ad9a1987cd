//! `tabiya selfplay`: a data set of self-play games.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{PrepareEvent, RunReport, parse_part};
use anyhow::ensure;
use clap::Args;
use engine::syzygy::Tablebases;
use layout::{prose, width};
use train::rescore::Teacher;
use train::selfplay::adjudicate::AdjudicationRules;
use train::selfplay::{SelfplayOptions, report, selfplay, selfplay_shard};

use crate::jobs::GenerateArgs;
use crate::progress::JobProgress;
use crate::{Outcome, interrupt};

/// Generate a data set of self-play games
///
/// Rows are packed, with score, move and result, deduplicated and shuffled. Positions in check, with a
/// capture as best move, or with a mate or tablebase score are skipped.
#[derive(Args)]
pub struct SelfplayArgs {
    /// Directory of the data set; an interrupted run resumes
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of games
    #[arg(long, value_name = "N", required_unless_present = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Number of positions, before deduplication
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Evaluation: a network file (Tabiya, HalfKP, HalfKAv2_hm), `classic`, the classical evaluation (HCE), or
    /// `embedded`, the built-in network
    #[arg(long, value_name = "FILE", default_value = "classic")]
    net: String,
    /// Start each game from one of the 960 positions of Chess960
    #[arg(long)]
    chess960: bool,
    /// Random plies at the start of each game: a number or a range
    #[arg(long, value_name = "A..B", default_value = "8..12", value_parser = parse_plies)]
    random_plies: (u32, u32),
    /// Maximum score of the start position for either side, in centipawns
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    balance: i32,
    /// Adjudicate a win at this score in centipawns …
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(i32).range(1..))]
    win_score: i32,
    /// … for N plies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    win_plies: u32,
    /// Adjudicate a draw at a score of at most N centipawns …
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(i32).range(0..))]
    draw_score: i32,
    /// … for N plies …
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    draw_plies: u32,
    /// … after ply N
    #[arg(long, value_name = "N", default_value_t = 80)]
    draw_after: u32,
    /// Maximum length of a game in plies; then it is drawn
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    most_plies: u32,
    /// Directories of Syzygy tablebases, for adjudication
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
    /// Fraction of the games for the validation split
    #[arg(long, value_name = "F", default_value_t = 0.0)]
    val_fraction: f64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Hash table per thread in MiB
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    hash: u64,
    /// Games per unit of work; an interrupted unit is played again
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    unit_games: u64,
    /// Play only part I of N of the units, into files in the directory, for a run with --units
    #[arg(long, value_name = "I/N", value_parser = parse_shard, requires = "games", conflicts_with = "units")]
    shard: Option<(u64, u64)>,
    /// Directories of units played with --shard; units that are missing are played
    #[arg(long, value_name = "DIR", num_args = 1..)]
    units: Vec<PathBuf>,
    #[command(flatten)]
    job: GenerateArgs,
}

/// `8..12`, `8-12` or `10`.
fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let invalid =
        || format!("'{text}' is neither a number of plies such as 10 nor a range such as 8..12");
    let (least, most) = text.split_once("..").or(text.split_once('-')).unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok().filter(|&plies| plies <= 100);
    let plies = number(least).zip(number(most)).ok_or_else(invalid)?;
    if plies.0 > plies.1 { Err(invalid()) } else { Ok(plies) }
}

fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    parse_part(text).ok_or_else(|| format!("'{text}' is not a shard such as 1/4"))
}

impl SelfplayArgs {
    fn options(&self) -> SelfplayOptions {
        SelfplayOptions {
            games: self.games,
            positions: self.positions,
            nodes: self.nodes,
            chess960: self.chess960,
            random_plies: self.random_plies,
            balance: self.balance,
            // No more than a move of the game.
            balance_nodes: self.nodes.min(2_000),
            adjudication: AdjudicationRules {
                win_score: self.win_score,
                win_plies: self.win_plies,
                draw_score: self.draw_score,
                draw_plies: self.draw_plies,
                draw_after: self.draw_after,
                max_plies: self.most_plies,
            },
            val_fraction: self.val_fraction,
            seed: self.seed,
            hash: self.hash as usize,
            unit_games: self.unit_games,
            shard_rows: self.job.shard_rows,
        }
    }
}

pub fn run(args: &SelfplayArgs, out: &mut dyn Write) -> Outcome {
    let start = Instant::now();
    ensure!((0.0..=1.0).contains(&args.val_fraction), "--val-fraction must be from 0 to 1");
    let player = Teacher::named(&args.net)?;
    let tablebases = args.syzygy.as_deref().map(Tablebases::open).transpose()?;
    for warning in tablebases.iter().flat_map(Tablebases::warnings) {
        eprintln!("tabiya: {warning}");
    }
    let stop = interrupt::listen(|| {})?;
    let workers = args.job.workers(&stop);
    let mut progress = JobProgress::new(args.games.or(args.positions).unwrap_or(0));
    let by_positions = args.games.is_none();
    let (tablebases, options) = (tablebases.as_ref(), args.options());
    let observe = |event: PrepareEvent<'_>| progress.on_event(event, by_positions);
    if let Some(shard) = args.shard {
        let played =
            selfplay_shard(&args.out, &player, tablebases, &options, shard, workers, observe);
        drop(progress);
        let (played, seconds) = (played?, start.elapsed().as_secs_f64());
        match args.job.json {
            true => writeln!(out, "{}", played.to_json(seconds))?,
            false => prose(out, played.text(seconds))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let prepared =
        selfplay(&args.out, &player, tablebases, &options, &args.units, workers, observe);
    drop(progress);
    let (prepared, seconds) = (prepared?, start.elapsed().as_secs_f64());
    let report = RunReport { prepared: &prepared, folder: &args.out, seconds, columns: width() };
    match args.job.json {
        true => writeln!(out, "{}", report::json(&report))?,
        false => out.write_all(report::text(&report).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_a_number_or_a_range() {
        assert_eq!(parse_plies("8..12"), Ok((8, 12)));
        assert_eq!(parse_plies("0-3"), Ok((0, 3)));
        assert_eq!(parse_plies("9"), Ok((9, 9)));
        for bad in ["", "..", "12..8", "-3", "8..", "1e3", "5000"] {
            assert!(parse_plies(bad).is_err(), "{bad}");
        }
    }
}
