//! The memory of the transposition table, and how much more the process may allocate.
//!
//! It is asked for in *huge pages* where the system has them. A search reads the table in places
//! that have nothing to do with each other; with pages of 4 KiB the processor would have to look up
//! anew where most of these lie before it can fetch them, with pages of 2 MiB it knows.

use memmap2::{MmapMut, MmapOptions};
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::STACK_BYTES;

/// The size of a huge page, and what its address must be a multiple of.
const HUGE_PAGE: usize = 2 << 20;

/// Address space that an allocation leaves free for everything else: small allocations abort the process
/// when they fail, so the large ones are refused first.
const HEADROOM: usize = 16 << 20;
/// Freeing a mapping larger than this takes long enough to be left to another thread.
const SMALL: usize = 64 << 20;

/// Whether the process may allocate so many bytes more, with some headroom left. Only limits of address
/// space and commit charge are seen (`ulimit -v`, strict overcommit): pages are not touched.
pub fn is_available(bytes: usize) -> bool {
    let bytes = bytes.saturating_add(HEADROOM);
    MmapOptions::new().len(bytes).no_reserve_swap().map_anon().is_ok()
}

/// A run of zeros, given by the system as it is touched, so that even a large one is there at once.
pub struct Memory {
    map: MmapMut,
    /// Where the first huge page begins.
    start: usize,
    bytes: usize,
}

impl Memory {
    /// So many bytes, if there are, and enough besides to start a search.
    pub fn new(bytes: usize) -> Option<Self> {
        let map = MmapOptions::new().len(bytes.checked_add(HUGE_PAGE)?).map_anon().ok()?;
        if !is_available(STACK_BYTES) {
            return None;
        }
        // Only a wish: without huge pages all works as well, if not as fast.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = map.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        Some(Self { map, start, bytes })
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Sets all bytes to zero. A large mapping is exchanged for a new one, whose pages the system zeroes as
    /// they are touched: writing zeros would take seconds.
    pub fn clear(&mut self) {
        if self.bytes > SMALL
            && let Some(zeros) = Self::new(self.bytes)
        {
            std::mem::replace(self, zeros).free();
        } else {
            self.slice::<u8>().fill(0);
        }
    }

    /// Gives the pages back to the system. That takes a tenth of a second per GiB, so nobody waits for it
    /// if it is much; without another thread it is done here.
    pub fn free(self) {
        if self.bytes > SMALL {
            let _ = std::thread::Builder::new().spawn(move || drop(self));
        }
    }

    /// The same memory as a slice of something that may be any bits, of a size that divides it.
    pub fn slice<T: FromBytes + IntoBytes>(&mut self) -> &mut [T]
    where
        [T]: KnownLayout<PointerMetadata = usize>,
    {
        let bytes = &mut self.map[self.start..self.start + self.bytes];
        <[T]>::mut_from_bytes(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_large_as_asked_and_begins_with_a_huge_page() {
        let mut memory = Memory::new(3 << 20).unwrap();
        let words = memory.slice::<u64>();
        assert_eq!(words.len(), (3 << 20) / 8);
        assert!(words.iter().all(|&word| word == 0));
        assert!(words.as_ptr().addr().is_multiple_of(HUGE_PAGE));
        words[7] = 7;
        assert_eq!(memory.slice::<u64>()[7], 7);
    }

    #[test]
    fn it_is_all_zeros_once_cleared_whether_small_or_large() {
        for bytes in [2 << 20, SMALL, SMALL + (2 << 20)] {
            let mut memory = Memory::new(bytes).unwrap();
            let words = memory.slice::<u64>();
            let last = words.len() - 1;
            (words[0], words[last / 2], words[last]) = (1, 2, 3);
            memory.clear();
            assert_eq!(memory.len(), bytes);
            assert!(memory.slice::<u64>().iter().step_by(8).all(|&word| word == 0), "{bytes}");
            assert_eq!(memory.slice::<u64>()[last], 0);
        }
    }

    /// Pages of this process that are in memory, in bytes.
    #[cfg(target_os = "linux")]
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }

    /// Writing zeros would keep all pages; a new mapping has none until they are touched.
    #[test]
    #[cfg(target_os = "linux")]
    fn clearing_a_large_one_writes_no_zeros() {
        let bytes = 512 << 20;
        let mut memory = Memory::new(bytes).unwrap();
        memory.slice::<u64>().iter_mut().step_by(512).for_each(|word| *word = 1);
        assert!(resident() > bytes / 2);
        memory.clear();
        // The old mapping is freed by another thread.
        for _ in 0..2000 {
            if resident() < bytes / 2 {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{} bytes are still resident", resident());
    }

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert!(!is_available(usize::MAX) && !is_available(usize::MAX / 2));
        assert!(is_available(0));
        assert!(Memory::new(usize::MAX).is_none());
        assert!(Memory::new(usize::MAX / 2).is_none());
    }
}
