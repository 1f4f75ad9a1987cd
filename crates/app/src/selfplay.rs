//! `tabiya selfplay`: a data set of games that the engine plays against itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{Event, Workers};
use anyhow::ensure;
use clap::Args;
use engine::syzygy::Tablebases;
use serde_json::json;
use train::rescore::Teacher;
use train::selfplay::adjudicate::Adjudication;
use train::selfplay::{SelfplayOptions, selfplay};

use crate::Outcome;
use crate::layout::prose;
use crate::progress::Progress;
use crate::threads::Threads;
use crate::words::count;

/// Make a data set of games that the engine plays against itself
///
/// Rows are packed, with score, move and result; every position is there once, in random order.
/// Positions in check, with a capture as best move, or with a mate or a tablebase result in sight are
/// left out.
#[derive(Args)]
pub struct SelfplayArgs {
    /// The folder that the data set is to be. A run that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Play so many games.
    #[arg(long, value_name = "N", required_unless_present = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Play until there are so many positions, before duplicates are removed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Search so many positions for each move.
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The evaluation: a file with a network, of Tabiya or of Stockfish's HalfKP; `classic`; or
    /// `embedded`, the network in this program.
    #[arg(long, value_name = "FILE", default_value = "classic")]
    net: String,
    /// Begin each game with so many random moves: a number, or from A to B.
    #[arg(long, value_name = "A..B", default_value = "8..12", value_parser = parse_plies)]
    random_plies: (u32, u32),
    /// Begin only where neither player is better by more than this, in centipawns.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    balance: i32,
    /// A game is won when the score has been this, in centipawns …
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(i32).range(1..))]
    win_score: i32,
    /// … for so many plies.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    win_plies: u32,
    /// A game is drawn when the score has been no more than this …
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(i32).range(0..))]
    draw_score: i32,
    /// … for so many plies …
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    draw_plies: u32,
    /// … after this ply.
    #[arg(long, value_name = "N", default_value_t = 80)]
    draw_after: u32,
    /// A game is drawn when it has so many plies.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    most_plies: u32,
    /// Folders with Syzygy tablebases: games are over when they know the result.
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
    /// Put this share of the games aside for validation.
    #[arg(long, value_name = "F", default_value_t = 0.0)]
    val_fraction: f64,
    /// Random seed. Another seed gives other games.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The table of each engine, in MiB.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    hash: u64,
    /// How many games are a unit of work: what is lost of it when a run is killed is played again.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    unit_games: u64,
    /// How many rows a file has.
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    shard_rows: u64,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// `8..12`, `8-12` or `10`.
fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let bad = || format!("'{text}' is no number of plies such as 10, and no range such as 8..12");
    let (least, most) = text.split_once("..").or(text.split_once('-')).unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok().filter(|&plies| plies <= 100);
    let plies = number(least).zip(number(most)).ok_or_else(bad)?;
    if plies.0 > plies.1 { Err(bad()) } else { Ok(plies) }
}

impl SelfplayArgs {
    fn options(&self) -> SelfplayOptions {
        SelfplayOptions {
            games: self.games,
            positions: self.positions,
            nodes: self.nodes,
            random_plies: self.random_plies,
            balance: self.balance,
            // The balance need not be known better than the rest of the game.
            balance_nodes: self.nodes.min(2_000),
            adjudication: Adjudication {
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
            shard_rows: self.shard_rows,
        }
    }
}

/// Runs it.
pub fn run(args: &SelfplayArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    ensure!(
        (0.0..=1.0).contains(&args.val_fraction),
        "the validation fraction must be from 0 to 1"
    );
    let player = Teacher::named(&args.net)?;
    let tablebases = args.syzygy.as_deref().map(Tablebases::open).transpose()?;
    for warning in tablebases.iter().flat_map(Tablebases::warnings) {
        eprintln!("tabiya: {warning}");
    }
    let stop = crate::interrupt::listen(|| {})?;
    let workers = Workers::from(args.threads.count()).until(&stop);
    // Whichever is known: so many games, or so many positions.
    let mut progress = Progress::new(args.games.or(args.positions).unwrap_or(0));
    let prepared =
        selfplay(&args.out, &player, tablebases.as_ref(), &args.options(), workers, |event| {
            match event {
                Event::Progress { read, games, positions } => {
                    let done = if args.games.is_some() { read } else { positions };
                    progress.tell(done, positions, &format!("{}, ", count(games, "game")));
                }
                Event::Sorting { positions } => progress = Progress::new(positions),
                Event::Sorted { positions } => progress.tell(positions, positions, "sorted "),
                _ => {}
            }
        });
    drop(progress);
    let prepared = prepared?;
    let seconds = begin.elapsed().as_secs_f64();
    let manifest = &prepared.manifest;
    let counts = &manifest.counts;
    let skipped = &counts.skipped_positions;
    let rate = (counts.positions + skipped.duplicate) as f64 / seconds.max(1e-9);
    if args.json {
        let report = json!({
            "games": counts.games,
            "moves": counts.moves,
            "positions": counts.positions,
            "train": manifest.rows.train,
            "validation": manifest.rows.validation,
            "skipped": serde_json::to_value(skipped)?,
            "files": manifest.files.len(),
            "seconds": seconds,
            "positions_per_second": rate,
            "complete_before": prepared.was_complete,
            "resumed": prepared.was_resumed,
        });
        writeln!(out, "{report}")?;
        return Ok(ExitCode::SUCCESS);
    }
    if prepared.was_complete {
        writeln!(out, "{} is complete already", args.out.display())?;
    } else if prepared.was_resumed {
        writeln!(out, "went on where an earlier run had stopped")?;
    }
    let mut summary = format!(
        "{}, {}, {} ({} train, {} validation), {}, {}",
        count(counts.games, "game"),
        count(counts.moves, "move"),
        count(counts.positions, "position"),
        manifest.rows.train,
        manifest.rows.validation,
        count(skipped.duplicate, "duplicate"),
        count(manifest.files.len(), "file"),
    );
    if !prepared.was_complete && !prepared.was_resumed {
        let games = counts.games as f64 / seconds.max(1e-9);
        summary += &format!(", {seconds:.2} s, {games:.2} games/s, {rate:.0} positions/s");
    }
    prose(out, &summary)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_plies_are_read_in_three_ways() {
        assert_eq!(parse_plies("8..12"), Ok((8, 12)));
        assert_eq!(parse_plies("0-3"), Ok((0, 3)));
        assert_eq!(parse_plies("9"), Ok((9, 9)));
        for bad in ["", "..", "12..8", "-3", "8..", "1e3", "5000"] {
            assert!(parse_plies(bad).is_err(), "{bad}");
        }
    }
}
