//! Slots for jobs.
//!
//! Stores the purpose of its job; on a new purpose the job is stopped and the next starts after its answer: at most
//! one job per slot.

use crate::job::JobId;

/// At most one job, with its purpose as the key.
#[derive(Debug)]
pub struct Slot<K> {
    running: Option<Running<K>>,
}

#[derive(Debug)]
struct Running<K> {
    id: JobId,
    key: K,
    is_stopped: bool,
}

/// A step towards the wanted job.
#[derive(PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing to do, or wait for an answer.
    Nothing,
    /// Start a job and [fill](Slot::fill) the slot.
    Start,
    /// Stop this job.
    Stop(JobId),
}

impl<K> Default for Slot<K> {
    fn default() -> Self {
        Self { running: None }
    }
}

impl<K: PartialEq> Slot<K> {
    /// The next step towards the wanted job.
    pub fn step(&mut self, wanted: Option<&K>) -> Step {
        match &mut self.running {
            None if wanted.is_some() => Step::Start,
            None => Step::Nothing,
            Some(running) if running.is_stopped || Some(&running.key) == wanted => Step::Nothing,
            Some(running) => {
                running.is_stopped = true;
                Step::Stop(running.id)
            }
        }
    }

    /// Stores a started job.
    pub fn fill(&mut self, id: JobId, key: K) {
        self.running = Some(Running { id, key, is_stopped: false });
    }

    /// The key of a running job; none if it is of another slot or was stopped.
    pub fn key(&self, id: JobId) -> Option<&K> {
        let running = self.running.as_ref()?;
        (running.id == id && !running.is_stopped).then_some(&running.key)
    }

    /// Removes a job that has ended and returns its key; none if it is of another slot or was stopped.
    pub fn finish(&mut self, id: JobId) -> Option<K> {
        let running = self.running.take_if(|running| running.id == id)?;
        (!running.is_stopped).then_some(running.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::GameKind;

    #[test]
    fn the_next_job_starts_after_the_answer_of_the_stopped_one() {
        let id = |number| JobId { game: GameKind::Chess, number };
        let mut slot = Slot::default();
        assert_eq!(slot.step(Some(&'a')), Step::Start);
        slot.fill(id(1), 'a');
        assert_eq!(slot.step(Some(&'a')), Step::Nothing);
        assert_eq!((slot.key(id(1)), slot.key(id(2))), (Some(&'a'), None));
        assert_eq!(slot.step(Some(&'b')), Step::Stop(id(1)));
        assert_eq!(slot.step(Some(&'b')), Step::Nothing);
        assert_eq!(slot.key(id(1)), None);
        assert_eq!((slot.finish(id(2)), slot.finish(id(1))), (None, None));
        assert_eq!(slot.step(Some(&'b')), Step::Start);
        slot.fill(id(2), 'b');
        assert_eq!(slot.finish(id(2)), Some('b'));
        assert_eq!(slot.step(None), Step::Nothing);
    }
}
