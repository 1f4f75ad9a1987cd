//! Ctrl-C: the first stops a job, which saves its state; the second exits the process at once.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use arena::MatchError;
use data::DataError;
use learn::TrainError;
use uci::StartError;

/// 128 + SIGINT, as shells report it.
const INTERRUPTED: u8 = 130;

/// The exit code of an interrupted command.
pub fn exit_code() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// Whether a job failed because it was interrupted.
pub fn is_cause_of(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let inner = match cause.downcast_ref() {
            Some(TrainError::Data(inner)) => Some(inner),
            _ => cause.downcast_ref(),
        };
        let is_start =
            matches!(cause.downcast_ref(), Some(MatchError::Start(StartError::Interrupted)));
        matches!(inner, Some(DataError::Interrupted { .. })) || is_start
    })
}

/// Handles Ctrl-C and SIGTERM, once per process. The first sets the flag and calls `action` on its own
/// thread.
pub fn listen(mut action: impl FnMut() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            // Every file on disk is complete at any time.
            std::process::exit(INTERRUPTED.into());
        }
        action();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_found_whatever_it_interrupted() {
        let start = MatchError::Start(StartError::Interrupted);
        assert!(is_cause_of(&anyhow::Error::from(start)));
        let start = MatchError::Start(StartError::Interrupted);
        assert!(is_cause_of(&anyhow::Error::from(start).context("the match")));
        let thread = MatchError::Start(StartError::Thread(std::io::ErrorKind::Interrupted.into()));
        assert!(!is_cause_of(&anyhow::Error::from(thread)));
    }
}
