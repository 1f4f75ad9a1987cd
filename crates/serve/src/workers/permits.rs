//! Counting semaphore with two FIFO queues, urgent first: as many searches run at once as there are cores.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The semaphore.
#[derive(Clone)]
pub struct Permits(Arc<Mutex<Queue>>);

struct Queue {
    free: usize,
    urgent: VecDeque<oneshot::Sender<Permit>>,
    others: VecDeque<oneshot::Sender<Permit>>,
}

impl Queue {
    /// Removes cancelled waiters, with every new one: under a constant load of urgent jobs the other queue is never
    /// popped, and would grow.
    fn remove_closed_waiters(&mut self) {
        self.urgent.retain(|waiter| !waiter.is_closed());
        self.others.retain(|waiter| !waiter.is_closed());
    }
}

/// The permit of one computation, released on drop.
pub struct Permit {
    permits: Option<Permits>,
}

impl Permits {
    /// This many permits.
    pub fn new(count: usize) -> Self {
        let (urgent, others) = (VecDeque::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Queue { free: count.max(1), urgent, others })))
    }

    /// Acquires a permit; urgent waiters come first.
    pub async fn acquire(&self, is_urgent: bool) -> Permit {
        loop {
            let receiver = {
                let mut queue = self.queue();
                if queue.free > 0 {
                    queue.free -= 1;
                    return Permit { permits: Some(self.clone()) };
                }
                queue.remove_closed_waiters();
                let (sender, receiver) = oneshot::channel();
                if is_urgent { &mut queue.urgent } else { &mut queue.others }.push_back(sender);
                receiver
            };
            if let Ok(permit) = receiver.await {
                return permit;
            }
        }
    }

    /// The number of waiters: urgent, others.
    pub fn waiting(&self) -> (usize, usize) {
        let mut queue = self.queue();
        queue.remove_closed_waiters();
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
            let Some(waiter) = next else { return };
            match waiter.send(Permit { permits: Some(permits.clone()) }) {
                Ok(()) => return,
                // The waiter is cancelled; the permit goes to the next one, not through `drop` again.
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
    fn urgent_waiters_come_first_and_cancelled_ones_are_skipped() {
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
    fn cancelled_waiters_are_removed_from_the_queues() {
        let permits = Permits::new(1);
        let _first = poll(pin!(permits.acquire(true))).expect("free");
        for number in 0..10_000 {
            assert!(poll(pin!(permits.acquire(number % 3 == 0))).is_none());
        }
        let queue = permits.queue();
        assert!(queue.urgent.len() + queue.others.len() <= 1);
    }

    #[test]
    fn a_permit_granted_to_a_cancelled_waiter_goes_to_the_next() {
        let permits = Permits::new(1);
        let first = poll(pin!(permits.acquire(false))).expect("free");
        let mut second = Box::pin(permits.acquire(false));
        assert!(poll(second.as_mut()).is_none());
        drop(first);
        drop(second);
        assert!(poll(pin!(permits.acquire(false))).is_some());
    }
}
