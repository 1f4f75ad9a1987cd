//! `kill -9` at random moments, resuming after each.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use chess::rng::Rng;

/// Starts a job again and again and kills it at random moments of its usual duration.
#[derive(Debug)]
pub struct KillLoop {
    duration: Duration,
    rng: Rng,
}

impl KillLoop {
    /// Runs the job once undisturbed, which must succeed, to learn how long it takes.
    pub fn new(command: &mut Command, seed: u64) -> Self {
        let begin = Instant::now();
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { duration: begin.elapsed(), rng: Rng::new(seed, 0) }
    }

    /// Runs and kills the job until it was killed `times` times and `after_run` has returned true. It
    /// inspects the output after every run, killed or finished, and removes that of finished ones.
    ///
    /// # Panics
    /// If that takes more than 20 times as many runs.
    pub fn run(
        mut self,
        times: usize,
        mut command: impl FnMut() -> Command,
        mut after_run: impl FnMut() -> bool,
    ) {
        let (mut killed, mut enough) = (0, false);
        for _ in 0..20 * times {
            let mut child = command()
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            let moment = self.rng.below(self.duration.as_micros().max(1) as usize) as u64;
            let is_running = wait(&mut child, Duration::from_micros(moment));
            if is_running {
                child.kill().expect("the process can be killed");
                killed += 1;
            }
            child.wait().expect("a status");
            enough |= after_run();
            if killed >= times && enough {
                return;
            }
        }
        panic!("killed {killed} times, which never left enough to resume from: {enough}");
    }
}

/// Waits for the child, but not longer than this; returns whether it is still running.
fn wait(child: &mut Child, time: Duration) -> bool {
    let end = Instant::now() + time;
    loop {
        if child.try_wait().expect("a status").is_some() {
            return false;
        }
        let rest = end.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return true;
        }
        std::thread::sleep(rest.min(Duration::from_millis(2)));
    }
}
