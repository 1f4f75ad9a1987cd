//! Permits: as many searches run at once as there are cores. Those someone waits for come first, and otherwise
//! the first come are the first served.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Permits to compute.
#[derive(Clone)]
pub struct Permits(Arc<Mutex<Queue>>);

struct Queue {
    free: usize,
    urgent: VecDeque<oneshot::Sender<Permit>>,
    others: VecDeque<oneshot::Sender<Permit>>,
}

impl Queue {
    /// Jobs that end before their turn leave their place in the queue behind. They are removed with every new one:
    /// while the urgent keep all permits nobody comes to the end of the others, and the queue would grow.
    fn forget_those_who_gave_up(&mut self) {
        self.urgent.retain(|turn| !turn.is_closed());
        self.others.retain(|turn| !turn.is_closed());
    }
}

/// The permit of one computation, returned when it is dropped.
pub struct Permit {
    permits: Option<Permits>,
}

impl Permits {
    /// This many permits.
    pub fn new(count: usize) -> Self {
        let (urgent, others) = (VecDeque::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Queue { free: count.max(1), urgent, others })))
    }

    /// Waits for a permit; the urgent go before the others.
    pub async fn acquire(&self, is_urgent: bool) -> Permit {
        loop {
            let turn = {
                let mut queue = self.queue();
                if queue.free > 0 {
                    queue.free -= 1;
                    return Permit { permits: Some(self.clone()) };
                }
                queue.forget_those_who_gave_up();
                let (sender, turn) = oneshot::channel();
                if is_urgent { &mut queue.urgent } else { &mut queue.others }.push_back(sender);
                turn
            };
            if let Ok(permit) = turn.await {
                return permit;
            }
        }
    }

    /// How many wait: the urgent, and the others.
    pub fn waiting(&self) -> (usize, usize) {
        let mut queue = self.queue();
        queue.forget_those_who_gave_up();
        (queue.urgent.len(), queue.others.len())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(permits) = self.permits.take() else { return };
        loop {
            let next = {
                let mut queue = permits.queue();
                let next = queue.urgent.pop_front().or_else(|| queue.others.pop_front());
                if next.is_none() {
                    queue.free += 1;
                }
                next
            };
            let Some(turn) = next else { return };
            match turn.send(Permit { permits: Some(permits.clone()) }) {
                Ok(()) => return,
                // Its receiver has given up; the permit goes to the next, and not through `drop` again.
                Err(mut unused) => unused.permits = None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn the_urgent_go_first_and_those_who_give_up_are_skipped() {
        let permits = Permits::new(1);
        let first = poll(pin!(permits.acquire(false))).expect("free");
        let mut second = pin!(permits.acquire(false));
        let mut third = Box::pin(permits.acquire(false));
        let mut fourth = pin!(permits.acquire(true));
        let mut fifth = pin!(permits.acquire(false));
        assert!(poll(second.as_mut()).is_none() && poll(third.as_mut()).is_none());
        assert!(poll(fourth.as_mut()).is_none() && poll(fifth.as_mut()).is_none());
        assert_eq!(permits.waiting(), (1, 3));
        drop(third);
        assert_eq!(permits.waiting(), (1, 2));
        drop(first);
        let urgent = poll(fourth.as_mut()).expect("its turn");
        assert!(poll(second.as_mut()).is_none());
        drop(urgent);
        drop(poll(second.as_mut()).expect("its turn"));
        drop(poll(fifth.as_mut()).expect("its turn"));
        assert!(poll(pin!(permits.acquire(true))).is_some());
    }

    #[test]
    fn those_who_give_up_leave_no_place_behind() {
        let permits = Permits::new(1);
        let _first = poll(pin!(permits.acquire(true))).expect("free");
        for number in 0..10_000 {
            assert!(poll(pin!(permits.acquire(number % 3 == 0))).is_none());
        }
        let queue = permits.queue();
        assert!(queue.urgent.len() + queue.others.len() <= 1);
    }

    #[test]
    fn a_permit_that_was_granted_and_not_taken_goes_to_the_next() {
        let permits = Permits::new(1);
        let first = poll(pin!(permits.acquire(false))).expect("free");
        let mut second = Box::pin(permits.acquire(false));
        assert!(poll(second.as_mut()).is_none());
        drop(first);
        drop(second);
        assert!(poll(pin!(permits.acquire(false))).is_some());
    }
}
