//! The built program at the other end of two pipes.
//!
//! Limits are there so that a test ends when the engine hangs. They are far longer than any answer
//! takes, since a test must not fail because the machine is busy; how long answers really take is
//! measured by the tests that are ignored by default.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing takes this long unless it hangs.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    /// A new process.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// A new process with these arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        Self::spawn(Command::new(crate::common::TABIYA).args(arguments))
    }

    /// A new process with a limit on its address space, in KiB.
    #[cfg(target_os = "linux")]
    pub fn start_within(kibibytes: usize) -> Self {
        let program = crate::common::TABIYA;
        let script = "ulimit -v $0 && exec \"$1\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, &kibibytes.to_string(), program]);
        // The allocator reserves 64 MiB of address space for threads that happen to allocate at the same time.
        Self::spawn(command.env("MALLOC_ARENA_MAX", "1"))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        // Lines are taken off as they come, so that the engine never waits for us.
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("the output of an engine is UTF-8");
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines }
    }

    /// A new process with this many threads.
    pub fn with_threads(threads: usize) -> Self {
        let mut engine = Self::start();
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.ready();
        engine
    }

    /// The number of the process.
    #[cfg(target_os = "linux")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends anything.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("input is still open");
        let sent = stdin.write_all(bytes).and_then(|()| stdin.flush());
        sent.expect("the engine takes what it is sent");
    }

    /// The next line and when it came. Panics if there is none for too long.
    pub fn line(&self) -> (Instant, String) {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("the engine is silent for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the engine has died"),
        }
    }

    /// Whatever comes within this time.
    pub fn lines_within(&self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        while let Ok((_, line)) =
            self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            lines.push(line);
        }
        lines
    }

    /// All lines up to the first that begins with this word, that one included.
    pub fn until(&self, word: &str) -> Vec<String> {
        self.until_timed(word).1
    }

    /// The same, and when the last one came.
    pub fn until_timed(&self, word: &str) -> (Instant, Vec<String>) {
        let mut lines = Vec::new();
        loop {
            let (at, line) = self.line();
            let found = line.split(' ').next() == Some(word);
            lines.push(line);
            if found {
                return (at, lines);
            }
        }
    }

    /// Sends `isready`; returns the lines before `readyok`.
    pub fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a line; returns the lines printed before the next `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ready()
    }

    /// Searches; returns all lines up to `bestmove …`.
    pub fn search(&mut self, go: &str) -> Vec<String> {
        self.send(go);
        self.until("bestmove")
    }

    /// Closes standard input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to exit; returns its status, the time it took, and its remaining output.
    pub fn wait(mut self) -> (ExitStatus, Duration, Vec<String>) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a process to wait for") {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the engine does not end");
            std::thread::sleep(Duration::from_millis(1));
        };
        let took = start.elapsed();
        (status, took, self.lines.iter().map(|(_, line)| line).collect())
    }

    /// Sends `quit`, checks the exit code, and returns the remaining output.
    pub fn quit(mut self) -> Vec<String> {
        self.send("quit");
        let (status, _, lines) = self.wait();
        assert_eq!(status.code(), Some(0), "after quit");
        lines
    }
}

/// A test that fails leaves no engine behind.
impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
