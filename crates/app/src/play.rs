//! `tabiya play`: the page in the browser.

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use serve::{Listening, Options, Stopper};

use crate::{Outcome, interrupt};

/// Play, analyze and learn in the browser
///
/// Serves the page on this machine alone, and opens it: games against the engine, the human-like model or
/// a friend, analysis of positions and whole games, Paco Ŝako. Ctrl-C ends it.
///
/// Examples:
///   tabiya play
///   tabiya play --port 9000 --no-browser
///   tabiya play --host 0.0.0.0 --token 7hC2kQ9xLmW4tZ8p
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PlayArgs {
    /// Port [default: 8000, or the next free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Address or name to listen at; others than this machine need --token [default: 127.0.0.1]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Secret that the address of the page must carry: 16 to 128 letters, digits, '-', '.', '_' or '~'
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Only print the address of the page
    #[arg(long)]
    no_browser: bool,
}

pub fn run(args: PlayArgs, out: &mut dyn Write) -> Outcome {
    let PlayArgs { port, host, token, no_browser } = args;
    let stopper = Stopper::default();
    let stop = stopper.clone();
    interrupt::listen(move || stop.stop())?;
    let mut written = Ok(());
    serve::serve(&Options { host, port, token }, &stopper, |listening| {
        written = announce(listening, out);
        if !no_browser {
            open(&listening.url);
        }
    })?;
    written?;
    Ok(ExitCode::SUCCESS)
}

fn announce(listening: &Listening, out: &mut dyn Write) -> std::io::Result<()> {
    if let Some(port) = listening.skipped {
        writeln!(out, "Port {port} is in use; another one is taken.")?;
    }
    writeln!(out, "The page is at {}\nCtrl-C ends it.", listening.url)?;
    out.flush()
}

/// Opens the page in the browser, if there is one: its address is printed anyway.
fn open(url: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let null = Stdio::null;
    let _ = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(null())
        .stdout(null())
        .stderr(null())
        .spawn();
}
