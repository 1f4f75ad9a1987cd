//! `tabiya pgn normalize`: the export format out.
//!
//! The games of a piece of text are written by the thread that has read them, and put out in order. A
//! few bytes can become a whole game (`*` is one), so that a piece whose output grows too large is not
//! kept: it is read again when it is its turn, and put out as it comes.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};

use chess::pgn::{PgnError, Trees};
use clap::Args;
use data::{Input, Order, Piece, ReadError, read_games};

use super::FileArgs;
use super::check::Findings;
use super::progress::Bar;
use crate::{Outcome, output};

/// How much output of one piece is kept until it is its turn.
const MOST: usize = 8 << 20;

#[derive(Args)]
pub struct NormalizeArgs {
    #[command(flatten)]
    files: FileArgs,
}

/// The games of some text in export format, and what is to be said of them.
#[derive(Default)]
struct Part {
    written: String,
    games: u64,
    errors: u64,
    /// Each error, and what has become of the game.
    remarks: Vec<(PgnError, &'static str)>,
}

impl Part {
    /// About how much memory this takes.
    fn size(&self) -> usize {
        self.written.len() + 256 * self.remarks.len()
    }
}

/// What a thread has made of a piece.
enum Made {
    Part(Part),
    /// The text of a piece whose output is too large to be kept.
    Later(Vec<u8>),
}

/// Normalizes a text. Whenever so many bytes are ready they are handed over; the rest is returned.
/// Breaks if nobody takes them.
fn normalize(
    text: &[u8],
    most: usize,
    mut hand_over: impl FnMut(Part) -> ControlFlow<()>,
) -> ControlFlow<(), Part> {
    let mut part = Part::default();
    let mut trees = Trees::new(text);
    while let Some(game) = trees.next() {
        part.games += 1;
        if let Some(conflict) = trees.result_conflict() {
            part.remarks.push((conflict.clone(), ""));
        }
        let game = game.unwrap_or_else(|broken| {
            part.errors += 1;
            part.remarks.push((broken.error.clone(), "; the rest of the game becomes a comment"));
            broken.with_unread(text)
        });
        // Writing to a string does not fail.
        let _ = writeln!(part.written, "{game}");
        if part.size() > most {
            hand_over(std::mem::take(&mut part))?;
        }
    }
    ControlFlow::Continue(part)
}

/// Normalizes a piece, if its output can be kept.
fn make(piece: Piece<'_>) -> Made {
    let text = match piece {
        Piece::TooLong { limit, .. } => {
            let remarks = Findings::too_long(limit).listed;
            let remarks = remarks.into_iter().map(|error| (error, "; left out")).collect();
            return Made::Part(Part { games: 1, errors: 1, remarks, ..Part::default() });
        }
        Piece::Games(text) => text,
    };
    // A single game that takes much memory is not read by several threads at once, either.
    if text.len() > MOST {
        return Made::Later(text.to_vec());
    }
    match normalize(text, MOST, |_| ControlFlow::Break(())) {
        ControlFlow::Continue(part) => Made::Part(part),
        ControlFlow::Break(()) => Made::Later(text.to_vec()),
    }
}

/// Normalizes a file, and gives the number of errors.
fn normalize_file(
    file: &Path,
    args: &NormalizeArgs,
    sender: &SyncSender<String>,
) -> (u64, Result<(), ReadError>) {
    let name = file.display();
    let (mut games, mut errors, mut offset) = (0, 0, 0);
    let result = Input::open(file).and_then(|input| {
        let bar = Bar::new(&input);
        let options = args.files.options(Order::Large);
        let mut put_out = |part: Part, first_game: u64, offset: u64| {
            bar.add(part.games);
            errors += part.errors;
            for (mut error, remark) in part.remarks {
                error.game += first_game;
                error.offset += offset;
                bar.complain(&format!("{name}: {error}{remark}"));
            }
            // If nobody takes it, writing has failed, which is told elsewhere.
            match sender.send(part.written) {
                Ok(()) => ControlFlow::Continue(part.games),
                Err(_) => ControlFlow::Break(()),
            }
        };
        read_games(input, &options, make, |made, bytes| {
            // Errors count the games of their piece.
            let first_game = games;
            let mut count = |part| {
                games += put_out(part, first_game, offset)?;
                ControlFlow::Continue(())
            };
            match made {
                Made::Part(part) => count(part)?,
                Made::Later(text) => {
                    let last = normalize(&text, MOST, &mut count)?;
                    count(last)?;
                }
            }
            offset += bytes;
            ControlFlow::Continue(())
        })
    });
    (errors, result)
}

pub fn run(args: &NormalizeArgs, out: &mut dyn Write) -> Outcome {
    output::ensure_not_inputs([], args.files.files.iter().map(PathBuf::as_path))?;
    let mut errors = 0;
    let mut failed = false;
    for file in &args.files.inputs()? {
        // What comes out of the threads is written by this one, through a channel without room.
        let outcome: anyhow::Result<()> = std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<String>(0);
            let (errors, failed) = (&mut errors, &mut failed);
            let read = move || {
                let (found, result) = normalize_file(file, args, &sender);
                *errors += found;
                if let Err(error) = result {
                    eprintln!("tabiya: {error}");
                    *failed = true;
                }
            };
            ::data::threads::spawn(scope, read)?;
            for text in receiver {
                out.write_all(text.as_bytes())?;
            }
            Ok(())
        });
        outcome?;
    }
    Ok(if errors == 0 && !failed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
