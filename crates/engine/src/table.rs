//! The transposition table: what earlier searches found out about positions, shared by all threads.
//!
//! A bucket is 32 bytes: three entries of 64 bits, and one word with a 16-bit check for each. No lock
//! is taken. Threads may interleave their writes, so a check is stored mixed with the entry it
//! belongs to: an entry whose parts come from two writers does not fit its check and is not found,
//! but for one in 65,536, and whoever uses a found move asks whether it is legal.
//!
//! An entry, from the low bit: move 16, score 16, static evaluation 16, depth 8, bound 2, on the
//! principal variation 1, age 5. Zero is an empty entry: a bound is never zero.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use chess::Move;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::memory::Memory;
use crate::score::{self, Score, WIN_BOUND};

/// What the score of an entry or of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// The true score is this or less.
    Upper = 1,
    /// The true score is this or more.
    Lower = 2,
    /// It is the score.
    Exact = 3,
}

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move, if one was found. It may be a move of another position: check it.
    pub best: Option<Move>,
    /// The score, with mates counted from this position.
    pub score: Score,
    /// The static evaluation, or [`score::NONE`].
    pub evaluation: Score,
    /// How deeply it was searched.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// Whether it was on the principal variation at some time.
    pub on_pv: bool,
}

const ENTRIES: usize = 3;
/// Depths from -1 on are stored; quiescence has 0 and -1.
const DEPTH_OFFSET: i32 = 2;
const AGES: u8 = 32;

#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(C, align(32))]
struct Bucket {
    entries: [AtomicU64; ENTRIES],
    checks: AtomicU64,
}

/// The table as it is kept from search to search; [open](Table::open) it to use it.
pub struct Table {
    memory: Memory,
    age: u8,
    /// Whether anything may be in it.
    used: bool,
}

/// There is not enough memory for a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a table of {mebibytes} MiB cannot be allocated")]
pub struct OutOfMemory {
    /// The size asked for.
    pub mebibytes: usize,
}

impl Table {
    /// An empty table. Its memory is given by the system as it is used, so that even a large one is
    /// there at once.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let memory = mebibytes.max(1).checked_mul(1 << 20).and_then(Memory::new);
        Ok(Self { memory: memory.ok_or(OutOfMemory { mebibytes })?, age: 0, used: false })
    }

    /// Frees the memory, in the background if it is much.
    pub fn free(self) {
        self.memory.free();
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.memory.len() >> 20
    }

    /// A new search begins: what is there from earlier ones gives way first.
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

    /// For a search, with nothing else done to it meanwhile.
    pub fn open(&mut self) -> SharedTable<'_> {
        self.used = true;
        SharedTable { buckets: self.memory.slice(), age: self.age }
    }
}

/// The table as the threads of a search share it.
#[derive(Clone, Copy)]
pub struct SharedTable<'a> {
    buckets: &'a [Bucket],
    age: u8,
}

impl SharedTable<'_> {
    /// How full the table is of this search's entries, in thousandths.
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

    /// Where a key belongs: its high bits choose the bucket, its low bits are the check.
    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Asks the processor to fetch what will soon be [looked up](SharedTable::look_up).
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch is a hint: it reads nothing and cannot fault, whatever the address;
            // this one is that of a bucket.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(key)).cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of a position that is `ply` plies from the root.
    #[inline]
    pub fn look_up(&self, key: u64, ply: usize) -> Option<Entry> {
        let bucket = self.bucket(key);
        let checks = bucket.checks.load(Relaxed);
        for (n, entry) in bucket.entries.iter().enumerate() {
            let data = entry.load(Relaxed);
            if (checks >> (16 * n)) as u16 == key as u16 ^ folded(data) && data != 0 {
                return unpack(data, ply);
            }
        }
        None
    }

    /// Remembers a result. The least valuable entry of the bucket gives way: shallow, or old.
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
            if (checks >> (16 * n)) as u16 == key as u16 ^ folded(data) {
                let same_age = (data >> 59) as u8 == age;
                let depth = (data >> 48) as u8 as i32 - DEPTH_OFFSET;
                // A much deeper result is worth more than a new bound.
                if new.bound != Bound::Exact && same_age && new.depth + 4 < depth {
                    return;
                }
                if new.best.is_none() && data as u16 != 0 {
                    new.best = Some(Move::from_bits(data as u16));
                }
                victim = n;
                break;
            }
            let old = i32::from((age + AGES - (data >> 59) as u8) % AGES);
            let worth = (data >> 48) as u8 as i32 - 8 * old;
            if worth < least {
                (victim, least) = (n, worth);
            }
        }
        let data = pack(new, ply, age);
        let shift = 16 * victim;
        let check = u64::from(key as u16 ^ folded(data)) << shift;
        bucket.entries[victim].store(data, Relaxed);
        bucket.checks.store(bucket.checks.load(Relaxed) & !(0xffff << shift) | check, Relaxed);
    }
}

/// The four quarters of an entry, mixed.
#[inline(always)]
const fn folded(data: u64) -> u16 {
    let half = data ^ data >> 32;
    (half ^ half >> 16) as u16
}

/// Known results are counted from the root in the search, from the position in the table.
const fn from_root(score: Score, ply: usize) -> Score {
    if score >= WIN_BOUND {
        score - ply as Score
    } else if score <= -WIN_BOUND {
        score + ply as Score
    } else {
        score
    }
}

const fn from_here(score: Score, ply: usize) -> Score {
    if score >= WIN_BOUND {
        score + ply as Score
    } else if score <= -WIN_BOUND {
        score - ply as Score
    } else {
        score
    }
}

fn pack(entry: Entry, ply: usize, age: u8) -> u64 {
    let best = entry.best.map_or(0, Move::to_bits);
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    u64::from(best)
        | u64::from(from_here(entry.score, ply) as i16 as u16) << 16
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
    // Two writers may have left any bits: keep what follows from them within bounds.
    let score = i32::from((data >> 16) as i16).clamp(-score::MATE, score::MATE);
    Some(Entry {
        best: (data as u16 != 0).then(|| Move::from_bits(data as u16)),
        score: from_root(score, ply),
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

    fn entry(depth: i32, score: Score) -> Entry {
        let best = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        Entry { best, score, evaluation: -17, depth, bound: Bound::Exact, on_pv: true }
    }

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        assert_eq!(table.look_up(0x1234_5678_9abc_def0, 0), None);
        table.store(0x1234_5678_9abc_def0, 0, entry(7, 250));
        assert_eq!(table.look_up(0x1234_5678_9abc_def0, 0), Some(entry(7, 250)));
        assert_eq!(table.look_up(0x1234_5678_9abc_def1, 0), None);
        owner.clear();
        assert_eq!(owner.open().look_up(0x1234_5678_9abc_def0, 0), None);
    }

    #[test]
    fn mates_are_counted_from_where_they_are_looked_up() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        table.store(1, 3, entry(5, score::mate_in(8)));
        assert_eq!(table.look_up(1, 0).unwrap().score, score::mate_in(5));
        assert_eq!(table.look_up(1, 6).unwrap().score, score::mate_in(11));
        table.store(2, 3, entry(5, score::mated_in(8)));
        assert_eq!(table.look_up(2, 1).unwrap().score, score::mated_in(6));
    }

    #[test]
    fn the_shallow_and_the_old_give_way_first() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        // The same bucket, different checks.
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 6)] {
            table.store(key, 0, entry(depth, 0));
        }
        let kept = [1, 2, 3, 4].map(|key| table.look_up(key, 0).is_some());
        assert_eq!(kept, [true, false, true, true]);
        owner.new_search();
        let table = owner.open();
        table.store(4, 0, entry(6, 1));
        table.store(5, 0, entry(1, 0));
        let kept = [1, 3, 4, 5].map(|key| table.look_up(key, 0).is_some());
        assert_eq!(kept, [true, false, true, true]);
    }

    #[test]
    fn a_table_larger_than_any_memory_is_refused() {
        assert!(Table::new(usize::MAX).is_err());
        assert!(Table::new(1 << 40).is_err());
    }

    #[test]
    fn a_check_fits_only_the_entry_it_was_made_for() {
        let mut owner = Table::new(1).unwrap();
        let table = owner.open();
        table.store(77, 0, entry(5, 10));
        // As another thread might leave it: the entry replaced, its check not yet.
        let other = pack(entry(6, 11), 0, 0);
        let entries = &table.bucket(77).entries;
        let written = entries.iter().find(|entry| entry.load(Relaxed) != 0).unwrap();
        written.store(other, Relaxed);
        assert_eq!(table.look_up(77, 0), None);
    }
}
