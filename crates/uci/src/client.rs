//! The client's side of the protocol: an engine in a process of its own.
//!
//! A reader thread timestamps each line as it arrives, so that an engine is not charged for the client's
//! own work. Its channel is bounded: an engine that floods the client blocks. Another thread keeps the
//! last line of standard error, where programs report why they die.
//!
//! The engine runs in its own process group: Ctrl-C reaches only the client, which then ends its engines
//! in order. A dropped engine is sent `quit`, and killed after a second.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Log, OptionDecl, OptionError};

/// Longer lines are truncated.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// The capacity of the channel of received lines.
const MAX_QUEUED_LINES: usize = 1 << 10;
/// How long an engine may take to exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the stop flag is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why an engine does not answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The process has exited, or has closed its input or output.
    #[error("{0}")]
    Exited(String),
    /// No answer before the deadline.
    #[error("timed out")]
    Timeout,
    /// The stop flag is set; not the engine's fault.
    #[error("interrupted")]
    Interrupted,
}

/// Why an engine cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The process cannot be spawned.
    #[error("cannot start the engine {name} ('{program}'): {source}")]
    Spawn {
        /// The engine.
        name: String,
        /// Its program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A reader thread cannot be spawned.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The process has exited during the handshake.
    #[error("the engine {name} {how} before uciok")]
    Exited {
        /// The engine.
        name: String,
        /// How it ended.
        how: String,
    },
    /// No `uciok`.
    #[error("the engine {name} did not answer uciok within {} s", timeout.as_secs_f64())]
    Timeout {
        /// The engine.
        name: String,
        /// The time it had.
        timeout: Duration,
    },
    /// The stop flag is set.
    #[error("interrupted")]
    Interrupted,
}

/// A line from the engine and its time of arrival.
#[derive(Debug)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub struct ReceivedLine {
    pub at: Instant,
    pub text: String,
}

/// A running engine process.
pub struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<ReceivedLine>,
    last_stderr: Arc<Mutex<String>>,
    log: Log,
    label: String,
    stop: Arc<AtomicBool>,
    /// The name from `id name`, or the given one.
    pub id: String,
    /// The declared options.
    pub options: Vec<OptionDecl>,
}

impl EngineProcess {
    /// Spawns the command and waits for `uciok`. `name` is for error messages, `label` for the log; once
    /// `stop` is set, every wait ends with [`EngineError::Interrupted`].
    pub fn start(
        mut command: Command,
        name: &str,
        label: String,
        timeout: Duration,
        log: &Log,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, StartError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|source| {
            let program = command.get_program().to_string_lossy().into_owned();
            StartError::Spawn { name: name.to_owned(), program, source }
        })?;
        let (sender, lines) = sync_channel(MAX_QUEUED_LINES);
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut engine = Self {
            child,
            stdin,
            lines,
            last_stderr: Arc::default(),
            log: log.clone(),
            label,
            stop: Arc::clone(stop),
            id: name.to_owned(),
            options: Vec::new(),
        };
        if let Some(stdout) = stdout {
            let (log, label) = (log.clone(), engine.label.clone());
            spawn_thread(move || read_stdout(stdout, &sender, &log, &label))?;
        }
        if let Some(stderr) = stderr {
            let (log, label) = (log.clone(), engine.label.clone());
            let last_stderr = Arc::clone(&engine.last_stderr);
            spawn_thread(move || read_stderr(stderr, &last_stderr, &log, &label))?;
        }
        let name = name.to_owned();
        engine.handshake(Instant::now() + timeout).map_err(|error| match error {
            EngineError::Exited(how) => StartError::Exited { name, how },
            EngineError::Timeout => StartError::Timeout { name, timeout },
            EngineError::Interrupted => StartError::Interrupted,
        })?;
        Ok(engine)
    }

    fn handshake(&mut self, deadline: Instant) -> Result<(), EngineError> {
        self.send("uci")?;
        loop {
            let line = self.receive(deadline)?;
            let text = line.text.trim();
            if text == "uciok" {
                return Ok(());
            } else if let Some(name) = text.strip_prefix("id name ") {
                self.id = name.trim().to_owned();
            } else {
                self.options.extend(OptionDecl::parse(text));
            }
        }
    }

    /// The declaration of an option; case does not matter.
    pub fn option(&self, name: &str) -> Option<&OptionDecl> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether the engine declares the option and accepts the value.
    pub fn validate_option(&self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        match self.option(name) {
            Some(option) => option.validate(value),
            None => Err(OptionError::Undeclared {
                name: name.to_owned(),
                declared: self.options.iter().map(|option| option.name.clone()).collect(),
            }),
        }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        self.write(line).map_err(|_| self.exited())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.log.write(&self.label, "<", line);
        let Some(stdin) = &mut self.stdin else { return Err(io::ErrorKind::BrokenPipe.into()) };
        // One write: an engine may poll its input at any time.
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush())
    }

    /// The next line before the deadline.
    pub fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, EngineError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                // An engine that floods the client with other lines times out all the same.
                Ok(line) if line.at > deadline && !line.text.starts_with("bestmove") => {
                    return Err(EngineError::Timeout);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.exited()),
                _ if self.stop.load(Relaxed) => return Err(EngineError::Interrupted),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(EngineError::Timeout);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Sends `isready` and waits for `readyok`. Returns the number of unsolicited `bestmove` lines before it.
    pub fn ready(&mut self, timeout: Duration) -> Result<u32, EngineError> {
        let deadline = Instant::now() + timeout;
        let mut unsolicited = 0;
        self.send("isready")?;
        loop {
            let line = self.receive(deadline)?;
            match line.text.split_ascii_whitespace().next() {
                Some("readyok") => return Ok(unsolicited),
                Some("bestmove") => unsolicited += 1,
                _ => {}
            }
        }
    }

    /// How the process ended. One that has only closed a pipe is killed.
    fn exited(&mut self) -> EngineError {
        let Some(status) = self.wait(Duration::from_millis(500)) else {
            self.kill_child();
            return EngineError::Exited("closed its input or output".to_owned());
        };
        // The reader of standard error may be behind.
        std::thread::sleep(Duration::from_millis(10));
        let last = self.last_stderr.lock().unwrap_or_else(PoisonError::into_inner).clone();
        EngineError::Exited(match last.as_str() {
            "" => format!("ended ({status})"),
            last => format!("ended ({status}), saying '{last}'"),
        })
    }

    fn wait(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + timeout;
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

    /// Kills the process without sending `quit`.
    pub fn kill(mut self) {
        self.log.write(&self.label, "!", "killed");
        self.kill_child();
    }

    fn kill_child(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        let _ = self.write("quit");
        self.stdin = None;
        if self.wait(QUIT_TIMEOUT).is_none() {
            self.kill_child();
        }
    }
}

/// Spawns a thread that ends with its input.
fn spawn_thread(run: impl FnOnce() + Send + 'static) -> Result<(), StartError> {
    std::thread::Builder::new().spawn(run).map(drop).map_err(StartError::Thread)
}

/// Reads until the engine closes its output or the receiver is dropped.
fn read_stdout(stdout: impl Read, lines: &SyncSender<ReceivedLine>, log: &Log, label: &str) {
    let mut input = BufReader::new(stdout);
    while let Some(text) = read_line(&mut input) {
        let at = Instant::now();
        log.write(label, ">", &text);
        if lines.send(ReceivedLine { at, text }).is_err() {
            return;
        }
    }
}

fn read_stderr(stderr: impl Read, last: &Mutex<String>, log: &Log, label: &str) {
    let mut input = BufReader::new(stderr);
    while let Some(text) = read_line(&mut input) {
        log.write(label, "!", &text);
        let text: String = text.trim().chars().take(200).collect();
        // Rust prints how to get a backtrace after the panic message.
        if !text.is_empty() && !text.starts_with("note:") {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
    }
}

/// A line without its line ending; invalid UTF-8 becomes `�`.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match input.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes) {
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
