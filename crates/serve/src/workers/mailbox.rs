//! Coalescing queue of job updates: newer lines and progress of a job replace older ones, so that the length is
//! bounded by the number of jobs however slow the tab is.

use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::job::{JobId, Update};

/// An event for a tab.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all events are updates")]
pub enum TabEvent {
    /// An update of a job.
    Update(JobId, Update),
    /// A job waits for a permit.
    Waiting,
}

/// The queue of a tab.
#[derive(Default)]
pub struct Mailbox {
    events: Mutex<VecDeque<TabEvent>>,
    not_empty: Notify,
}

impl Mailbox {
    /// Adds an event; it replaces the one that it makes stale.
    pub fn post(&self, event: TabEvent) {
        let mut events = self.events();
        if let TabEvent::Update(id, update @ (Update::Lines(_) | Update::Progress { .. })) = &event
        {
            let is_stale = |old: &mut TabEvent| match old {
                TabEvent::Update(of, earlier) => {
                    of == id && discriminant(earlier) == discriminant(update)
                }
                TabEvent::Waiting => false,
            };
            if let Some(old) = events.iter_mut().find_map(|old| is_stale(old).then_some(old)) {
                *old = event;
                return;
            }
        }
        events.push_back(event);
        drop(events);
        self.not_empty.notify_one();
    }

    /// Waits for the next event. Cancel safe.
    pub async fn next(&self) -> TabEvent {
        loop {
            if let Some(event) = self.events().pop_front() {
                return event;
            }
            self.not_empty.notified().await;
        }
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<TabEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{GameKind, Lines};

    #[test]
    fn newer_lines_of_a_job_replace_older_ones() {
        let mailbox = Mailbox::default();
        let id = |number| JobId { game: GameKind::Chess, number };
        let lines = |nodes| Update::Lines(Lines { nodes, ..Lines::default() });
        for nodes in 0..1000 {
            mailbox.post(TabEvent::Update(id(1), lines(nodes)));
            mailbox.post(TabEvent::Update(id(2), lines(2 * nodes)));
            mailbox.post(TabEvent::Update(id(1), Update::Progress { done: 1, total: 2 }));
        }
        mailbox.post(TabEvent::Update(id(1), Update::Failed(String::new())));
        let all: Vec<TabEvent> = mailbox.events().drain(..).collect();
        assert_eq!(all.len(), 4);
        let nodes = |event: &TabEvent| match event {
            TabEvent::Update(_, Update::Lines(lines)) => Some(lines.nodes),
            _ => None,
        };
        assert_eq!(all.iter().filter_map(nodes).collect::<Vec<_>>(), [999, 1998]);
    }
}
