//! A `bestmove` line that is sent later: after a thinking time, or when the GUI asks for it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use uci::Output;

/// A line that has not been sent yet; shared with the thread of the timer.
type Line = Arc<Mutex<Option<String>>>;

/// At most one line that is sent later. Dropped unsent if it is not released.
pub struct TimedAnswer {
    output: Output,
    line: Line,
    /// When it is due after `ponderhit`; a line without a time waits to be released.
    due: Option<Instant>,
    /// The running timer, which ends when this is dropped.
    timer: Option<Sender<()>>,
}

impl TimedAnswer {
    /// Without a line.
    pub fn new(output: Output) -> Self {
        Self { output, line: Line::default(), due: None, timer: None }
    }

    /// Whether a line has not been sent yet.
    pub fn is_pending(&self) -> bool {
        lock(&self.line).is_some()
    }

    /// Keeps a line until it is released, or until [`start_timer`](Self::start_timer) and the time `due`.
    pub fn hold(&mut self, line: String, due: Option<Instant>) {
        self.release();
        // A timer of the last line that has run out but not yet taken the lock must not find this one.
        self.line = Arc::new(Mutex::new(Some(line)));
        self.due = due;
    }

    /// Sends the line when it is due: at once if it has no time, or its time has passed.
    pub fn start_timer(&mut self) {
        if self.timer.is_some() {
            return;
        }
        let wait =
            self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
        if wait.is_zero() {
            return self.release();
        }
        let (timer, ended) = channel::<()>();
        let (line, output) = (Arc::clone(&self.line), self.output.clone());
        let wait_and_send = move || {
            if ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                send(&line, &output);
            }
        };
        match thread::Builder::new().name("thinking time".to_owned()).spawn(wait_and_send) {
            Ok(_) => self.timer = Some(timer),
            // Too early is better than never.
            Err(_) => self.release(),
        }
    }

    /// Sends the line now, if there is one.
    pub fn release(&mut self) {
        send(&self.line, &self.output);
        self.timer = None;
    }
}

/// Sends a line once. The lock is held meanwhile: when it is no longer pending, it has been sent.
fn send(line: &Line, output: &Output) {
    let mut line = lock(line);
    if let Some(line) = line.take() {
        output.line(line);
    }
}

fn lock(line: &Line) -> MutexGuard<'_, Option<String>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::Receiver;

    const LONG: Duration = Duration::from_secs(600);

    fn answer() -> (TimedAnswer, Receiver<String>) {
        let (sender, lines) = channel();
        let sink = Arc::new(move |line: &str| drop(sender.send(line.to_owned())));
        (TimedAnswer::new(Output::from(sink)), lines)
    }

    fn after(wait: Duration) -> Option<Instant> {
        Some(Instant::now() + wait)
    }

    #[test]
    fn a_line_is_sent_once_when_it_is_due() {
        let (mut answer, lines) = answer();
        let begun = Instant::now();
        answer.hold("a".to_owned(), after(Duration::from_millis(30)));
        answer.start_timer();
        answer.start_timer();
        assert_eq!(lines.recv_timeout(LONG).as_deref(), Ok("a"));
        assert!(begun.elapsed() >= Duration::from_millis(30) && !answer.is_pending());
        answer.release();
        drop(answer);
        assert!(lines.recv_timeout(LONG).is_err());
    }

    #[test]
    fn a_released_line_is_sent_at_once_and_its_timer_does_not_send_the_next() {
        let (mut answer, lines) = answer();
        for n in 0..200 {
            answer.hold(n.to_string(), after(Duration::from_micros(n * 10)));
            answer.start_timer();
            answer.release();
            assert_eq!(lines.try_recv(), Ok(n.to_string()));
            answer.hold("kept".to_owned(), None);
            assert!(answer.is_pending() && lines.try_recv().is_err());
            answer.release();
            assert_eq!(lines.try_recv().as_deref(), Ok("kept"));
        }
        answer.hold("long".to_owned(), after(LONG));
        answer.start_timer();
        assert!(answer.is_pending());
        answer.release();
        assert_eq!(lines.try_recv().as_deref(), Ok("long"));
    }

    #[test]
    fn a_line_without_a_time_or_with_one_in_the_past_is_not_delayed() {
        let (mut answer, lines) = answer();
        for due in [None, Some(Instant::now())] {
            answer.hold("a".to_owned(), due);
            assert!(answer.is_pending() && lines.try_recv().is_err());
            answer.start_timer();
            assert_eq!(lines.try_recv().as_deref(), Ok("a"));
        }
    }
}
