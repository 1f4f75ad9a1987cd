//! `tabiya pgn normalize`: the export format out.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use chess::pgn::Trees;
use clap::Args;
use data::{Input, Order, Piece, read_games};

use super::FileArgs;
use super::check::Findings;
use super::progress::Bar;
use crate::Outcome;

#[derive(Args)]
pub struct NormalizeArgs {
    #[command(flatten)]
    files: FileArgs,
}

/// The games of a piece in export format, and what is wrong with them.
fn normalize(piece: Piece<'_>) -> (String, Findings) {
    let text = match piece {
        Piece::TooLong { limit, .. } => return (String::new(), Findings::too_long(limit)),
        Piece::Games(text) => text,
    };
    let mut written = String::with_capacity(text.len());
    let mut found = Findings::default();
    for game in Trees::new(text) {
        found.games += 1;
        let game = game.unwrap_or_else(|broken| {
            found.errors += 1;
            found.listed.push(broken.error.clone());
            broken.with_unread(text)
        });
        // Writing to a string does not fail.
        let _ = writeln!(written, "{game}");
    }
    (written, found)
}

pub fn run(args: &NormalizeArgs, out: &mut dyn Write) -> Outcome {
    let mut errors = 0;
    let mut failed = false;
    for file in &args.files.files {
        let name = file.display().to_string();
        // What comes out of the threads is written by this one, through a channel without room.
        let outcome: io::Result<()> = std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::sync_channel::<String>(0);
            let (errors, failed) = (&mut errors, &mut failed);
            scope.spawn(move || {
                let result = Input::open(file).and_then(|input| {
                    let bar = Bar::new(&input);
                    let options = args.files.options(Order::Large);
                    let mut all = Findings::default();
                    let mut offset = 0;
                    read_games(input, &options, normalize, |(text, found), bytes| {
                        bar.add(found.games);
                        // Nothing is kept: each error is told as it comes.
                        let mut here = Findings { games: all.games, ..Findings::default() };
                        here.append(found, offset, usize::MAX);
                        for error in &here.listed {
                            bar.complain(&format!(
                                "{name}: {error}; the rest of the game becomes a comment"
                            ));
                        }
                        all.games = here.games;
                        all.errors += here.errors;
                        offset += bytes;
                        // If nobody takes it, writing has failed, which is told elsewhere.
                        match sender.send(text) {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        }
                    })?;
                    *errors += all.errors;
                    Ok(())
                });
                if let Err(error) = result {
                    eprintln!("tabiya: {error}");
                    *failed = true;
                }
            });
            for text in receiver {
                out.write_all(text.as_bytes())?;
            }
            Ok(())
        });
        outcome?;
    }
    Ok(if errors == 0 && !failed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
