//! The transposition table, shared by all threads without locks.
//!
//! A bucket is 32 bytes: three entries of 64 bits, and one word with a 16-bit check for each. The check is
//! XORed with a hash of its entry, so that an entry torn between two writers fails its check, except for one
//! in 65,536; the user of a table move checks that it is legal.
//!
//! An entry, from the low bit: move 16, score 16, static evaluation 16, depth 8, bound 2, PV flag 1, age 5.
//! Zero is an empty entry: a bound is never zero.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use chess::Move;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::memory::Mapping;
use crate::value::{self, Value, WIN_BOUND};

/// The bound type of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this (fail low).
    Upper = 1,
    /// The true score is at least this (fail high).
    Lower = 2,
    /// The score is exact.
    Exact = 3,
}

/// An entry of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move, if there is one. After a key collision it may be illegal.
    pub best: Option<Move>,
    /// The score; mates are counted from the root.
    pub score: Value,
    /// The static evaluation, or [`value::NONE`].
    pub evaluation: Value,
    /// The depth of the search.
    pub depth: i32,
    /// The bound type of the score.
    pub bound: Bound,
    /// Whether the position has been on a principal variation.
    pub on_pv: bool,
}

impl Entry {
    /// Whether the score is a cutoff for a null window just below beta.
    #[inline(always)]
    pub fn allows_cutoff(&self, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score < beta,
        }
    }

    /// Whether the score is a better estimate than a static evaluation; a bare evaluation, of depth -1, is not.
    #[inline(always)]
    pub fn improves(&self, evaluation: Value) -> bool {
        let informative = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > evaluation,
            Bound::Upper => self.score < evaluation,
        };
        let searched = self.depth >= 0;
        searched && informative && !value::is_decided(self.score)
    }
}

const ENTRIES: usize = 3;
/// The least depth is -1, for a bare static evaluation.
const DEPTH_OFFSET: i32 = 2;
const AGES: u8 = 32;

#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(C, align(32))]
struct Bucket {
    entries: [AtomicU64; ENTRIES],
    checks: AtomicU64,
}

/// The owned table, kept between searches; a search [opens](Table::open) it.
pub struct Table {
    memory: Mapping,
    age: u8,
    /// Whether it may hold entries.
    used: bool,
}

/// Memory for a table cannot be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a table of {mebibytes} MiB cannot be allocated")]
pub struct OutOfMemory {
    /// The requested size.
    pub mebibytes: usize,
}

impl Table {
    /// An empty table. The system maps its pages on first use, so that even a large one takes no time.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let memory = mebibytes.max(1).checked_mul(1 << 20).and_then(Mapping::new);
        Ok(Self { memory: memory.ok_or(OutOfMemory { mebibytes })?, age: 0, used: false })
    }

    /// Frees the memory; a large table in the background.
    pub fn free(self) {
        self.memory.free();
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.memory.len() >> 20
    }

    /// Starts a new search: older entries are replaced first.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.age = 0;
        if std::mem::take(&mut self.used) {
            self.memory.clear();
        }
    }

    /// Borrows the table for a search.
    pub fn open(&mut self) -> SharedTable<'_> {
        self.used = true;
        SharedTable { buckets: self.memory.slice(), age: self.age }
    }
}

/// The table as shared by the threads of a search.
#[derive(Clone, Copy)]
pub struct SharedTable<'a> {
    buckets: &'a [Bucket],
    age: u8,
}

impl SharedTable<'_> {
    /// Per mille of the table in use by entries of this search (`hashfull`).
    pub fn fullness(&self) -> usize {
        let age = self.age;
        let sample = &self.buckets[..self.buckets.len().min(1000)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.entries)
            .filter(|entry| {
                let data = entry.load(Relaxed);
                data != 0 && (data >> 59) as u8 == age
            })
            .count();
        used * 1000 / (sample.len() * ENTRIES)
    }

    /// The bucket of a key: the high bits are the index, the low bits the check.
    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Prefetches the bucket of a key that will soon be [probed](SharedTable::probe).
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch is a hint that cannot fault at any address; this one is of a bucket.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(key)).cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The entry of a position, with mate scores counted from the root, `ply` plies away.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let bucket = self.bucket(key);
        let checks = bucket.checks.load(Relaxed);
        for (n, entry) in bucket.entries.iter().enumerate() {
            let data = entry.load(Relaxed);
            if (checks >> (16 * n)) as u16 == key as u16 ^ fold(data) && data != 0 {
                return unpack(data, ply);
            }
        }
        None
    }

    /// Stores an entry. It replaces the one of the same key, or the least valuable: shallow or old.
    pub fn store(&self, key: u64, ply: usize, mut new: Entry) {
        let bucket = self.bucket(key);
        let age = self.age;
        let checks = bucket.checks.load(Relaxed);
        let (mut victim, mut least) = (0, i32::MAX);
        for (n, entry) in bucket.entries.iter().enumerate() {
            let data = entry.load(Relaxed);
            if data == 0 {
                (victim, least) = (n, i32::MIN);
                continue;
            }
            if (checks >> (16 * n)) as u16 == key as u16 ^ fold(data) {
                let same_age = (data >> 59) as u8 == age;
                let depth = (data >> 48) as u8 as i32 - DEPTH_OFFSET;
                // Keep a much deeper entry rather than a new bound.
                if new.bound != Bound::Exact && same_age && new.depth + 4 < depth {
                    return;
                }
                if new.best.is_none() && data as u16 != 0 {
                    new.best = Some(Move::from_bits(data as u16));
                }
                victim = n;
                break;
            }
            let age_difference = i32::from((age + AGES - (data >> 59) as u8) % AGES);
            let worth = (data >> 48) as u8 as i32 - 8 * age_difference;
            if worth < least {
                (victim, least) = (n, worth);
            }
        }
        let data = pack(new, ply, age);
        let shift = 16 * victim;
        let check = u64::from(key as u16 ^ fold(data)) << shift;
        bucket.entries[victim].store(data, Relaxed);
        bucket.checks.store(bucket.checks.load(Relaxed) & !(0xffff << shift) | check, Relaxed);
    }
}

/// A 16-bit hash of an entry: its four quarters XORed.
#[inline(always)]
const fn fold(data: u64) -> u16 {
    let half = data ^ data >> 32;
    (half ^ half >> 16) as u16
}

/// Mate and tablebase scores count plies from the root in the search, from the position in the table.
const fn score_from_table(score: Value, ply: usize) -> Value {
    if score >= WIN_BOUND {
        score - ply as Value
    } else if score <= -WIN_BOUND {
        score + ply as Value
    } else {
        score
    }
}

const fn score_to_table(score: Value, ply: usize) -> Value {
    if score >= WIN_BOUND {
        score + ply as Value
    } else if score <= -WIN_BOUND {
        score - ply as Value
    } else {
        score
    }
}

fn pack(entry: Entry, ply: usize, age: u8) -> u64 {
    let best = entry.best.map_or(0, Move::to_bits);
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    u64::from(best)
        | u64::from(score_to_table(entry.score, ply) as i16 as u16) << 16
        | u64::from(entry.evaluation as i16 as u16) << 32
        | depth << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.on_pv) << 58
        | u64::from(age) << 59
}

#[inline(always)]
fn unpack(data: u64, ply: usize) -> Option<Entry> {
    let bound = match data >> 56 & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    // A torn entry may have any bits: clamp the score.
    let score = i32::from((data >> 16) as i16).clamp(-value::MATE, value::MATE);
    Some(Entry {
        best: (data as u16 != 0).then(|| Move::from_bits(data as u16)),
        score: score_from_table(score, ply),
        evaluation: i32::from((data >> 32) as i16),
        depth: (data >> 48) as u8 as i32 - DEPTH_OFFSET,
        bound,
        on_pv: data >> 58 & 1 != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{MoveKind, Square};

    fn entry(depth: i32, score: Value) -> Entry {
        let best = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        Entry { best, score, evaluation: -17, depth, bound: Bound::Exact, on_pv: true }
    }

    #[test]
    fn stored_entries_are_found_by_their_key_alone() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 0), None);
        table.store(0x1234_5678_9abc_def0, 0, entry(7, 250));
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 0), Some(entry(7, 250)));
        assert_eq!(table.probe(0x1234_5678_9abc_def1, 0), None);
        owner.clear();
        assert_eq!(owner.open().probe(0x1234_5678_9abc_def0, 0), None);
    }

    #[test]
    fn mate_scores_are_relative_to_the_probing_ply() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        table.store(1, 3, entry(5, value::mate_in(8)));
        assert_eq!(table.probe(1, 0).unwrap().score, value::mate_in(5));
        assert_eq!(table.probe(1, 6).unwrap().score, value::mate_in(11));
        table.store(2, 3, entry(5, value::mated_in(8)));
        assert_eq!(table.probe(2, 1).unwrap().score, value::mated_in(6));
    }

    #[test]
    fn shallow_and_old_entries_are_replaced_first() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        // The same bucket, different checks.
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 6)] {
            table.store(key, 0, entry(depth, 0));
        }
        let kept = [1, 2, 3, 4].map(|key| table.probe(key, 0).is_some());
        assert_eq!(kept, [true, false, true, true]);
        owner.new_search();
        let table = owner.open();
        table.store(4, 0, entry(6, 1));
        table.store(5, 0, entry(1, 0));
        let kept = [1, 3, 4, 5].map(|key| table.probe(key, 0).is_some());
        assert_eq!(kept, [true, false, true, true]);
    }

    #[test]
    fn a_table_larger_than_memory_is_refused() {
        assert!(Table::new(usize::MAX).is_err());
        assert!(Table::new(1 << 40).is_err());
    }

    #[test]
    fn a_torn_entry_fails_its_check() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        table.store(77, 0, entry(5, 10));
        // As another thread might leave it: the entry is replaced, its check not yet.
        let other = pack(entry(6, 11), 0, 0);
        let entries = &table.bucket(77).entries;
        let written = entries.iter().find(|entry| entry.load(Relaxed) != 0).unwrap();
        written.store(other, Relaxed);
        assert_eq!(table.probe(77, 0), None);
    }
}
