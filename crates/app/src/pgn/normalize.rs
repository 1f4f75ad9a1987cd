//! `tabiya pgn normalize`: writes games in the export format.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};

use clap::Args;
use data::pgn::NormalizedGames;
use data::{Input, ReadError};

use super::FileArgs;
use super::progress::InputBar;
use crate::{Outcome, output};

#[derive(Args)]
pub struct NormalizeArgs {
    #[command(flatten)]
    files: FileArgs,
}

/// Normalizes a file and sends its games; returns the number of errors.
fn normalize_file(
    file: &Path,
    args: &NormalizeArgs,
    sender: &SyncSender<String>,
) -> (u64, Result<(), ReadError>) {
    let name = file.display();
    let mut errors = 0;
    let result = Input::open(file).and_then(|input| {
        let bar = InputBar::new(&input);
        data::pgn::normalize(input, &args.files.options(), |part: NormalizedGames| {
            bar.add(part.games);
            errors += part.errors;
            for (error, remark) in part.remarks {
                bar.bar.suspend(|| eprintln!("{name}: {error}{remark}"));
            }
            // The receiver is gone if writing has failed, which the main thread reports.
            match sender.send(part.text) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })
    });
    (errors, result)
}

pub fn run(args: &NormalizeArgs, out: &mut dyn Write) -> Outcome {
    output::ensure_not_inputs([], args.files.files.iter().map(PathBuf::as_path))?;
    let mut errors = 0;
    let mut failures = Vec::new();
    for file in &args.files.inputs()? {
        // This thread writes the output; the channel is unbuffered.
        let outcome: anyhow::Result<()> = std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<String>(0);
            let (errors, failures) = (&mut errors, &mut failures);
            let read = move || {
                let (found, result) = normalize_file(file, args, &sender);
                *errors += found;
                failures.extend(super::report_failure(result));
            };
            ::data::threads::spawn(scope, read)?;
            for text in receiver {
                out.write_all(text.as_bytes())?;
            }
            Ok(())
        });
        outcome?;
    }
    let is_fine = errors == 0 && failures.is_empty();
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
