//! `tabiya` without a command: the UCI engine on standard input and output.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use engine::uci::{Limit, Next, Session};

use crate::input;

/// Speaks the protocol until `quit` or the end of input.
pub fn run() -> ExitCode {
    let Some(mut session) = session() else { return ExitCode::FAILURE };
    each_command(|line| session.line(line));
    session.line("quit");
    ExitCode::SUCCESS
}

/// Hands over the lines of standard input until one ends the session, or there are no more. A line that
/// cannot be read is told of, and left out.
pub fn each_command(mut take: impl FnMut(&str) -> Next) {
    let read = input::each_line(io::stdin().lock(), |_, line| {
        match line {
            Ok(line) => {
                if take(line) == Next::Quit {
                    return Err(Quit.into());
                }
            }
            Err(error) => say(&format!("info string error: {error:#}")),
        }
        Ok(())
    });
    match read {
        Err(error) if !error.is::<Quit>() => say(&format!("info string error: {error:#}")),
        _ => {}
    }
}

/// Takes lines of the protocol that were given as arguments, and waits for each to be done.
pub fn run_lines(lines: impl Iterator<Item = String>) -> ExitCode {
    let Some(mut session) = session() else { return ExitCode::FAILURE };
    for line in lines {
        if session.line(&line) == Next::Quit {
            break;
        }
        session.wait();
    }
    ExitCode::SUCCESS
}

/// Ends the loop over the lines.
#[derive(Debug)]
struct Quit;

impl std::fmt::Display for Quit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("quit")
    }
}

impl std::error::Error for Quit {}

fn session() -> Option<Session> {
    let limit = Limit { hash: largest_hash(), ..Limit::default() };
    let name = concat!("Tabiya ", env!("CARGO_PKG_VERSION"));
    match Session::new(name, "the Tabiya developers", limit, Arc::new(say)) {
        Ok(session) => Some(session),
        Err(error) => {
            say(&format!("info string error: {error}"));
            None
        }
    }
}

/// One line, whole and at once, whichever thread says it. Nobody may be listening any more: then the
/// input ends too, and with it the session.
pub fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Most of the memory there is, in MiB: a larger table would be granted and then not be there.
fn largest_hash() -> usize {
    const UNKNOWN: usize = 4096;
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return UNKNOWN };
    let available = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
    available.map_or(UNKNOWN, |kilobytes| (kilobytes / 1024 * 9 / 10).max(64))
}
