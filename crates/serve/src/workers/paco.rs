//! Turns and hints of Paco Ŝako.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use paco::{PacoIn, Player, Position, Rng};
use tokio::task::spawn_blocking;
use tokio::time::sleep_until;

use super::{Context, OnDrop, Stop};
use crate::job::{PacoTurn, Update};

/// The minimum time of a turn, so that games of two machines can be watched.
const MIN_TIME: Duration = Duration::from_millis(300);
/// The node limit, in turns, of a search for a forced Paco: some seconds.
const BUDGET: u64 = 200_000;

/// Runs [`Work::PacoTurn`](crate::job::Work::PacoTurn).
pub async fn turn(context: &Context, task: PacoTurn, stop: &mut Stop) -> Update {
    let due = tokio::time::Instant::now() + MIN_TIME;
    let answer = compute(context, stop, move |is_stopped| {
        let deadline = Instant::now() + task.time;
        let mut player = Player::new(task.seed);
        let mut rng = Rng::from_seed(task.seed);
        let PacoTurn { position, seen, strategy, depth, .. } = &task;
        let mut is_over = || is_stopped() || Instant::now() >= deadline;
        let turn = strategy.choose(position, &mut player, *depth, seen, &mut rng, &mut is_over);
        Update::PacoTurn(turn)
    });
    let answer = answer.await;
    tokio::select! {
        () = sleep_until(due) => {}
        () = stop.stopped() => {}
    }
    answer
}

/// Runs [`Work::PacoIn`](crate::job::Work::PacoIn).
pub async fn paco_in(context: &Context, position: Position, turns: u8, stop: &mut Stop) -> Update {
    compute(context, stop, move |is_stopped| {
        let mut answer = PacoIn::No;
        for n in 1..=turns {
            answer = position.paco_in(n.into(), BUDGET);
            if is_stopped() || matches!(answer, PacoIn::Yes(_)) {
                return Update::PacoIn { turns: n, answer };
            }
        }
        Update::PacoIn { turns, answer }
    })
    .await
}

/// Runs a closure on a blocking thread, with a permit. Its argument is whether it is cancelled.
pub(super) async fn compute(
    context: &Context,
    stop: &mut Stop,
    work: impl FnOnce(&dyn Fn() -> bool) -> Update + Send + 'static,
) -> Update {
    let Some(_permit) = context.permit(true, stop).await else {
        return Update::Failed("stopped".to_owned());
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let of_thread = Arc::clone(&stopped);
    let _end = OnDrop(|| stopped.store(true, Relaxed));
    let mut thread = spawn_blocking(move || work(&|| of_thread.load(Relaxed)));
    let result = tokio::select! {
        result = &mut thread => result,
        () = stop.stopped() => {
            stopped.store(true, Relaxed);
            thread.await
        }
    };
    result.unwrap_or_else(|_| Update::Failed("a bug ended the computation".to_owned()))
}
