//! At most one job of each kind.
//!
//! A slot knows what its job is for. When something else is wanted the job is stopped, and the next one begins
//! after it has answered: however fast a person walks through a game, the number of jobs is that of the slots.

use crate::job::JobId;

/// The job of a kind, and what it is for.
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

/// What to do to have the wanted job.
#[derive(PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing, or wait.
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
    /// The next step towards the job that is wanted.
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

    /// A job was started.
    pub fn fill(&mut self, id: JobId, key: K) {
        self.running = Some(Running { id, key, is_stopped: false });
    }

    /// What a running job is for; none if it is of another slot or was stopped.
    pub fn key(&self, id: JobId) -> Option<&K> {
        let running = self.running.as_ref()?;
        (running.id == id && !running.is_stopped).then_some(&running.key)
    }

    /// A job has ended: what it was for; none if it is of another slot or was stopped.
    pub fn finish(&mut self, id: JobId) -> Option<K> {
        let running = self.running.take_if(|running| running.id == id)?;
        (!running.is_stopped).then_some(running.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Part;

    #[test]
    fn the_next_job_begins_after_the_stopped_one_has_answered() {
        let id = |number| JobId { part: Part::Chess, number };
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
