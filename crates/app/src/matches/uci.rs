//! An engine in a process of its own, spoken to in UCI.
//!
//! A thread reads what the engine writes and puts the time to each line, so that an engine is not
//! charged for what this program does. The channel behind it is bounded: an engine that floods us
//! waits. Another thread keeps the last line of standard error, where programs say why they die.
//!
//! The engine is in a process group of its own: Ctrl-C reaches this program only, which then ends its
//! engines in order. An engine that is dropped is asked to quit, and killed after a second.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::declared::Declared;
use super::spec::EngineSpec;
use super::stop::Stop;

/// The longest line kept; a longer one is cut.
const LONGEST_LINE: u64 = 1 << 16;
/// How many lines may wait to be taken.
const WAITING_LINES: usize = 1 << 10;
/// How long an engine has to end after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);
/// How often we look whether the match was interrupted.
const GLANCE: Duration = Duration::from_millis(50);

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The process is gone; how it ended.
    Ended(String),
    /// Nothing came in time.
    Silent,
    /// The match is to stop; no fault of the engine's.
    Interrupted,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ended(how) => how,
            Self::Silent => "it does not answer",
            Self::Interrupted => "interrupted",
        })
    }
}

/// A line, and when it came.
#[derive(Debug)]
pub struct Line {
    pub at: Instant,
    pub text: String,
}

/// Everything said, for `--log`.
#[derive(Clone)]
pub struct Log(Option<Arc<(Mutex<File>, Instant)>>);

impl Log {
    pub fn new(file: Option<File>) -> Self {
        Self(file.map(|file| Arc::new((Mutex::new(file), Instant::now()))))
    }

    fn write(&self, name: &str, arrow: &str, text: &str) {
        if let Some(log) = &self.0 {
            let line = format!("{:10.3} {name} {arrow} {text}\n", log.1.elapsed().as_secs_f64());
            // A log that cannot be written must not end a match.
            let _ = log.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
    }
}

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    last_words: Arc<Mutex<String>>,
    log: Log,
    label: String,
    stop: Stop,
    /// What it calls itself.
    pub id: String,
    /// The options it has.
    pub declared: Declared,
}

impl Engine {
    /// Starts the program and waits for `uciok`; an error is one line for people.
    pub fn start(
        spec: &EngineSpec,
        label: String,
        patience: Duration,
        log: &Log,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let mut command = if spec.program == "self" {
            Command::new(std::env::current_exe()?)
        } else {
            Command::new(&spec.program)
        };
        command.args(&spec.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| {
            anyhow::anyhow!("cannot start the engine {} ('{}'): {error}", spec.name, spec.program)
        })?;
        let (sender, lines) = sync_channel(WAITING_LINES);
        if let Some(stdout) = child.stdout.take() {
            let (log, label) = (log.clone(), label.clone());
            start_thread(move || read_lines(stdout, &sender, &log, &label))?;
        }
        let last_words = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            let (log, label, last_words) = (log.clone(), label.clone(), Arc::clone(&last_words));
            start_thread(move || listen_to_errors(stderr, &last_words, &log, &label))?;
        }
        let stdin = child.stdin.take();
        let (log, stop) = (log.clone(), stop.clone());
        let (id, declared) = (spec.name.clone(), Declared::default());
        let mut engine = Self { child, stdin, lines, last_words, log, label, stop, id, declared };
        engine.shake_hands(Instant::now() + patience).map_err(|trouble| match trouble {
            Trouble::Ended(how) => anyhow::anyhow!("the engine {} {how} before uciok", spec.name),
            Trouble::Silent => anyhow::anyhow!(
                "the engine {} did not answer uciok within {} s",
                spec.name,
                patience.as_secs_f64()
            ),
            Trouble::Interrupted => anyhow::anyhow!("interrupted"),
        })?;
        Ok(engine)
    }

    fn shake_hands(&mut self, deadline: Instant) -> Result<(), Trouble> {
        self.send("uci")?;
        loop {
            let line = self.line(deadline)?;
            let text = line.text.trim();
            if text == "uciok" {
                return Ok(());
            } else if let Some(name) = text.strip_prefix("id name ") {
                self.id = name.trim().to_owned();
            } else {
                self.declared.add(text);
            }
        }
    }

    /// Writes a line.
    pub fn send(&mut self, text: &str) -> Result<(), Trouble> {
        self.log.write(&self.label, "<", text);
        let Some(stdin) = &mut self.stdin else { return Err(self.ended()) };
        // In one piece: an engine may look at its input at any time.
        let written = stdin.write_all(format!("{text}\n").as_bytes()).and_then(|()| stdin.flush());
        written.map_err(|_| self.ended())
    }

    /// The next line, if it comes before the deadline.
    pub fn line(&mut self, deadline: Instant) -> Result<Line, Trouble> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                // An engine that never ceases to talk is late all the same.
                Ok(line) if line.at > deadline && !line.text.starts_with("bestmove") => {
                    return Err(Trouble::Silent);
                }
                Ok(_) if self.stop.is_set() => return Err(Trouble::Interrupted),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if self.stop.is_set() => {
                    return Err(Trouble::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Trouble::Silent),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Asks `isready` and waits for the answer. Returns how many moves came on the way that nobody
    /// had asked for.
    pub fn ready(&mut self, patience: Duration) -> Result<u32, Trouble> {
        let deadline = Instant::now() + patience;
        let mut unasked = 0;
        self.send("isready")?;
        loop {
            let line = self.line(deadline)?;
            match line.text.split_ascii_whitespace().next() {
                Some("readyok") => return Ok(unasked),
                Some("bestmove") => unasked += 1,
                _ => {}
            }
        }
    }

    /// How the process ended; it is given a moment, and then the last.
    fn ended(&mut self) -> Trouble {
        let status = match self.wait(Duration::from_millis(500)) {
            Some(status) => status,
            None => {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return Trouble::Ended("closed its input or output".to_owned());
            }
        };
        // What it wrote last may still be on its way to us.
        std::thread::sleep(Duration::from_millis(10));
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut how = format!("ended ({status})");
        if !words.is_empty() {
            how = format!("{how}, saying '{words}'");
        }
        Trouble::Ended(how)
    }

    fn wait(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => return None,
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.send_quit();
        self.stdin = None;
        if self.wait(QUIT_TIME).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Engine {
    fn send_quit(&mut self) -> std::io::Result<()> {
        self.log.write(&self.label, "<", "quit");
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(b"quit\n").and_then(|()| stdin.flush()),
            None => Ok(()),
        }
    }

    /// Ends it at once: it does not listen any more.
    pub fn kill(mut self) {
        self.log.write(&self.label, "!", "killed");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A thread that ends with what it reads from.
fn start_thread(run: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    std::thread::Builder::new().spawn(run).context("cannot start a thread")?;
    Ok(())
}

/// Reads until the engine has no more to say, or nobody listens.
fn read_lines(stdout: impl Read, lines: &SyncSender<Line>, log: &Log, label: &str) {
    let mut input = BufReader::new(stdout);
    while let Some(text) = read_line(&mut input) {
        let at = Instant::now();
        log.write(label, ">", &text);
        if lines.send(Line { at, text }).is_err() {
            return;
        }
    }
}

fn listen_to_errors(stderr: impl Read, last_words: &Mutex<String>, log: &Log, label: &str) {
    let mut input = BufReader::new(stderr);
    while let Some(text) = read_line(&mut input) {
        log.write(label, "!", &text);
        let text: String = text.trim().chars().take(200).collect();
        // A Rust program tells how to get a backtrace after it has said what happened.
        if !text.is_empty() && !text.starts_with("note:") {
            *last_words.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
    }
}

/// A line without its end; bytes that are no UTF-8 become `�`.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match input.take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => {
            if bytes.last() != Some(&b'\n') {
                let _ = input.skip_until(b'\n');
            }
            let text = String::from_utf8_lossy(&bytes);
            Some(text.trim_end_matches(['\n', '\r']).to_owned())
        }
    }
}
