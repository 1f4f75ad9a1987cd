//! `tabiya` without a command: the UCI engine on standard input and output.
//!
//! A person who starts it on a terminal is greeted; programs get nothing that the protocol does not have.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use engine::uci::{Limit, Next, Session};

use crate::{input, layout};

const GREETING: &str = concat!(
    "Tabiya ",
    env!("CARGO_PKG_VERSION"),
    ", a UCI chess engine: it waits for commands of the protocol.\n\
     Try 'go depth 12'; 'help' lists the others, 'quit' ends the session.\n\
     In the shell, 'tabiya help' lists all that tabiya can do."
);

/// What the session understands; the protocol is at <https://backscattering.de/chess/uci/>.
const HELP: &str = "\
Commands of the UCI protocol, one a line:
uci                           name, authors and options
isready                       answers readyok when ready
ucinewgame                    forget the game before
position startpos moves e2e4  set the position: startpos or fen FEN, then moves
go depth 12                   search: depth N, nodes N, movetime MS, infinite
stop                          end the search and play the best move found
setoption name Hash value 64  set an option
d, eval, bench                show the board, evaluate it, measure the speed
quit                          leave
Other commands run from the shell: 'tabiya help' lists them.";

/// Whether a person types commands and reads the answers.
fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The answer to `help`: as it is for a person, as `info string` for programs.
fn help(is_interactive: bool) -> String {
    let prefix = if is_interactive { "" } else { "info string " };
    HELP.lines().map(|line| format!("{prefix}{line}")).collect::<Vec<String>>().join("\n")
}

/// Speaks the protocol until `quit` or the end of input.
pub fn run() -> ExitCode {
    let Some(mut session) = session() else { return ExitCode::FAILURE };
    if is_interactive() {
        say(&layout::wrap(GREETING, layout::width(), 0));
    }
    each_command(|line| session.line(line));
    session.line("quit");
    ExitCode::SUCCESS
}

/// Hands over the lines of standard input until one ends the session, or there are no more. A line that
/// cannot be read is told of, and left out.
pub fn each_command(mut take: impl FnMut(&str) -> Next) {
    let read = input::each_line(io::stdin().lock(), |_, line| {
        match line {
            Ok("help") => say(&help(is_interactive())),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_fits_a_terminal_and_is_an_info_string_for_programs() {
        assert!(help(true).lines().all(|line| line.len() <= 80));
        assert!(GREETING.lines().all(|line| line.len() <= 80));
        assert!(help(false).lines().all(|line| line.starts_with("info string ")));
        assert_eq!(help(false).replace("info string ", ""), help(true));
    }
}
