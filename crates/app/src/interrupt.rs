//! Ctrl-C: the first asks a job to save and end, the second ends the process at once.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use data::DataError;
use learn::TrainError;

/// The exit code of an interrupted command, as shells have it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// The exit code of a command that was interrupted and has saved what there was to save.
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
        matches!(inner, Some(DataError::Interrupted { .. }))
    })
}

/// Listens for Ctrl-C and for a request to terminate, once per process. The flag is set by the first
/// of them, after which `action` runs on a thread of its own.
pub fn listen(mut action: impl FnMut() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            // Everything on the disk is whole at every moment.
            std::process::exit(INTERRUPTED.into());
        }
        action();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}
