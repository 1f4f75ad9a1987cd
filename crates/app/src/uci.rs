//! `tabiya` without a command: the UCI engine on standard input and output.
//!
//! On a terminal it starts with a greeting; programs get the protocol and nothing else.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use engine::uci::{Limit, Session};
use uci::Flow;

use crate::input;

const GREETING: &str = concat!(
    "Tabiya ",
    env!("CARGO_PKG_VERSION"),
    ", a UCI chess engine: it waits for commands of the protocol.\n\
     Try 'go depth 12'; 'help' lists the others, 'quit' ends the session.\n\
     In the shell, 'tabiya play' opens the board in the browser;\n\
     'tabiya help' lists all commands."
);

/// The answer to `help`; the protocol is at <https://backscattering.de/chess/uci/>.
const HELP: &str = "\
Commands of the UCI protocol, one a line:
uci                           name, authors and options
isready                       answers readyok when ready
ucinewgame                    clear what earlier games have left
position startpos moves e2e4  set the position: startpos or fen FEN, then moves
go depth 12                   search: depth N, nodes N, movetime MS, infinite
stop                          end the search with the best move found
setoption name Hash value 64  set an option
d, eval, bench                show the board, evaluate it, measure the speed
quit                          leave
In the shell, 'tabiya play' opens the board in the browser;
'tabiya help' lists all commands.";

/// Whether input and output are a terminal.
fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The answer to `help`: plain on a terminal, as `info string` for programs.
fn help(is_interactive: bool) -> String {
    let prefix = if is_interactive { "" } else { "info string " };
    HELP.lines().map(|line| format!("{prefix}{line}")).collect::<Vec<String>>().join("\n")
}

/// Runs a session until `quit` or the end of input.
pub fn run() -> ExitCode {
    let Some(mut session) = session() else { return ExitCode::FAILURE };
    if is_interactive() {
        print_line(&layout::wrap(GREETING, layout::width(), 0));
    }
    each_command(|line| session.line(line));
    ExitCode::SUCCESS
}

/// Calls `handle` with each line of standard input, and with `quit` at the end of input. A line that cannot
/// be read is reported and skipped.
pub fn each_command(mut handle: impl FnMut(&str) -> Flow) {
    let read = input::each_line(io::stdin().lock(), |_, line| {
        match line {
            Ok("help") => print_line(&help(is_interactive())),
            Ok(line) => {
                if handle(line) == Flow::Quit {
                    return Err(Quit.into());
                }
            }
            Err(error) => print_line(&format!("info string error: {error:#}")),
        }
        Ok(())
    });
    match read {
        Err(error) if error.is::<Quit>() => return,
        Err(error) => print_line(&format!("info string error: {error:#}")),
        Ok(()) => {}
    }
    handle("quit");
}

/// Runs commands given as arguments, one after the other.
pub fn run_lines(lines: impl Iterator<Item = String>) -> ExitCode {
    let Some(mut session) = session() else { return ExitCode::FAILURE };
    for line in lines {
        if session.line(&line) == Flow::Quit {
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
    match Session::new(name, "the Tabiya developers", limit, Arc::new(print_line)) {
        Ok(session) => Some(session),
        Err(error) => {
            print_line(&format!("info string error: {error}"));
            None
        }
    }
}

/// Prints a line in one write, from any thread. A closed pipe is no error: the input ends with it, and so
/// does the session.
pub fn print_line(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Nine tenths of the available memory in MiB: Linux overcommits, so a larger table would be allocated and
/// then fail.
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
        for text in [HELP, GREETING] {
            assert!(text.contains("'tabiya play'") && text.contains("'tabiya help'"), "{text}");
        }
        assert!(help(false).lines().all(|line| line.starts_with("info string ")));
        assert_eq!(help(false).replace("info string ", ""), help(true));
    }
}
