//! `tabiya ratings`: Bradley–Terry ratings of the players of PGN games.

use std::io::Write;
use std::process::ExitCode;

use arena::ratings::{self, Anchor, GameCounts, Results};
use data::Input;
use layout::count;

use crate::Outcome;
use crate::pgn::progress::InputBar;
use crate::pgn::{FileArgs, report_failure};

/// Rate the players of PGN games (Bradley–Terry, maximum likelihood)
///
/// A draw counts as half a win for each side. ± is half of the 95 % confidence interval by the Fisher
/// information. Players whose results do not connect them with the others in both directions (who won
/// or lost every game, say) are listed without a rating. Games without a result or names are skipped.
/// Files are read as by `tabiya pgn`: compressed, directories, or - for standard input.
///
/// Exit code 1 if an input could not be read completely.
///
/// Examples:
///   tabiya ratings match.pgn
///   tabiya ratings gauntlet.pgn.zst more/ --anchor "Stockfish 15.1=3500" --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct RatingsArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Rating of one player, to which the others are relative
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor, conflicts_with = "mean")]
    anchor: Option<Anchor>,
    /// Mean rating of all rated players
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    mean: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Parses `NAME=ELO`.
fn anchor(text: &str) -> Result<Anchor, String> {
    let (name, elo) = text.rsplit_once('=').ok_or("not NAME=ELO")?;
    match elo.trim().parse::<f64>() {
        Ok(elo) if elo.is_finite() => Ok(Anchor::Player(name.trim().to_owned(), elo)),
        _ => Err(format!("'{elo}' is not a rating")),
    }
}

pub fn run(args: &RatingsArgs, out: &mut dyn Write) -> Outcome {
    let (mut results, mut counts) = (Results::default(), GameCounts::default());
    let mut failures = Vec::new();
    for file in &args.files.inputs()? {
        let result = Input::open(file).and_then(|input| {
            let bar = InputBar::new(&input);
            results.add_games(input, &args.files.options(), &mut counts, |games| bar.add(games))
        });
        failures.extend(report_failure(result));
    }
    let anchor = args.anchor.clone().unwrap_or(Anchor::Mean(args.mean));
    let players = ratings::rate(&results, &anchor)?;
    if args.json {
        writeln!(out, "{}", ratings::json(&players, &counts))?;
    } else {
        let table = ratings::table(&players).without(&ratings::UNIMPORTANT, layout::width());
        out.write_all(table.as_bytes())?;
        let unrated = players.iter().filter(|player| player.rating.is_none()).count();
        let mut notes = vec![count(counts.counted, "game")];
        if counts.skipped > 0 {
            notes.push(format!("{} skipped: no result or no names", counts.skipped));
        }
        if unrated > 0 {
            notes.push(format!("{} without a rating", count(unrated, "player")));
        }
        layout::prose(out, notes.join("; "))?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
