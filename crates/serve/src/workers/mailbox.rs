//! The messages of jobs to their tab. A tab that cannot keep up receives fewer: of the lines and the progress of a job
//! only the last remain, so that the box is as large as the number of jobs.

use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::job::{JobId, Update};

/// News for a tab.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all news are updates")]
pub enum News {
    /// From a job.
    Update(JobId, Update),
    /// A job waits for others to end.
    Waits,
}

/// The box.
#[derive(Default)]
pub struct Mailbox {
    news: Mutex<VecDeque<News>>,
    arrived: Notify,
}

impl Mailbox {
    /// Puts news in; replaces what they make stale.
    pub fn post(&self, news: News) {
        let mut all = self.news();
        if let News::Update(id, update @ (Update::Lines(_) | Update::Progress { .. })) = &news {
            let is_stale = |old: &mut News| match old {
                News::Update(of, earlier) => {
                    of == id && discriminant(earlier) == discriminant(update)
                }
                News::Waits => false,
            };
            if let Some(old) = all.iter_mut().find_map(|old| is_stale(old).then_some(old)) {
                *old = news;
                return;
            }
        }
        all.push_back(news);
        drop(all);
        self.arrived.notify_one();
    }

    /// Waits for news. Nothing is lost if the future is dropped.
    pub async fn next(&self) -> News {
        loop {
            if let Some(news) = self.news().pop_front() {
                return news;
            }
            self.arrived.notified().await;
        }
    }

    fn news(&self) -> MutexGuard<'_, VecDeque<News>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Lines, Part};

    #[test]
    fn of_the_lines_of_a_job_only_the_last_remain() {
        let mailbox = Mailbox::default();
        let id = |number| JobId { part: Part::Chess, number };
        let lines = |nodes| Update::Lines(Lines { nodes, ..Lines::default() });
        for nodes in 0..1000 {
            mailbox.post(News::Update(id(1), lines(nodes)));
            mailbox.post(News::Update(id(2), lines(2 * nodes)));
            mailbox.post(News::Update(id(1), Update::Progress { done: 1, total: 2 }));
        }
        mailbox.post(News::Update(id(1), Update::Failed(String::new())));
        let all: Vec<News> = mailbox.news().drain(..).collect();
        assert_eq!(all.len(), 4);
        let nodes = |news: &News| match news {
            News::Update(_, Update::Lines(lines)) => Some(lines.nodes),
            _ => None,
        };
        assert_eq!(all.iter().filter_map(nodes).collect::<Vec<_>>(), [999, 1998]);
    }
}
