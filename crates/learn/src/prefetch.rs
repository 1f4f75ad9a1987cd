//! Batches read ahead by a thread.

use std::sync::mpsc::{Receiver, sync_channel};

use data::DataError;

use crate::TrainError;

/// Runs `consume` on batches that another thread reads, at most `ahead` of them in advance. An error is
/// the last item.
pub(crate) fn prefetch<B: Send, R>(
    ahead: usize,
    batches: impl Iterator<Item = Result<B, TrainError>> + Send,
    consume: impl FnOnce(Receiver<Result<B, TrainError>>) -> Result<R, TrainError>,
) -> Result<R, TrainError> {
    let (sender, receiver) = sync_channel(ahead);
    std::thread::scope(|scope| {
        let read = move || {
            for batch in batches {
                let is_error = batch.is_err();
                // Sending fails when the receiver is dropped: the loop has ended.
                if sender.send(batch).is_err() || is_error {
                    break;
                }
            }
        };
        let reader = data::threads::spawn(scope, read).map_err(DataError::from)?;
        let result = consume(receiver);
        reader.join().map_err(|_| TrainError::Panicked)?;
        result
    })
}
