//! The memory of the transposition table, and a check of how much more the process may allocate.
//!
//! The table is an anonymous mapping with transparent huge pages where the system has them: a search reads
//! it at random, and with 4 KiB pages most reads would miss the TLB.

use memmap2::{MmapMut, MmapOptions};
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::STACK_BYTES;

/// Size and alignment of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Address space left free by every large allocation: small allocations abort the process when they fail,
/// so large ones are refused first.
const HEADROOM: usize = 16 << 20;
/// Mappings larger than this are unmapped by another thread.
const SMALL: usize = 64 << 20;

/// Whether the process may allocate `bytes` more and keep some headroom. Detects limits of address space and
/// commit charge (`ulimit -v`, strict overcommit); touches no page.
pub fn is_available(bytes: usize) -> bool {
    let bytes = bytes.saturating_add(HEADROOM);
    MmapOptions::new().len(bytes).no_reserve_swap().map_anon().is_ok()
}

/// A zeroed anonymous mapping aligned to huge pages. The system maps its pages on first use.
pub struct Mapping {
    map: MmapMut,
    /// Offset of the first huge page.
    start: usize,
    bytes: usize,
}

impl Mapping {
    /// A mapping of `bytes`, if memory for it and for a search thread's stack is available.
    pub fn new(bytes: usize) -> Option<Self> {
        let map = MmapOptions::new().len(bytes.checked_add(HUGE_PAGE)?).map_anon().ok()?;
        if !is_available(STACK_BYTES) {
            return None;
        }
        // A hint: without huge pages the table is only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = map.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        Some(Self { map, start, bytes })
    }

    /// The size in bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Sets all bytes to zero. A large mapping is replaced by a new one, whose pages the system zeroes on
    /// first use: writing zeros would take seconds.
    pub fn clear(&mut self) {
        if self.bytes > SMALL
            && let Some(zeros) = Self::new(self.bytes)
        {
            std::mem::replace(self, zeros).free();
        } else {
            self.slice::<u8>().fill(0);
        }
    }

    /// Unmaps the memory, which takes a tenth of a second per GiB: a large mapping in another thread, if one
    /// can be started.
    pub fn free(self) {
        if self.bytes > SMALL {
            let _ = std::thread::Builder::new().spawn(move || drop(self));
        }
    }

    /// The memory as a slice of a type that is valid for any bits and whose size divides it.
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
    fn a_mapping_has_the_requested_size_and_is_aligned_to_huge_pages() {
        let mut memory = Mapping::new(3 << 20).unwrap();
        let words = memory.slice::<u64>();
        assert_eq!(words.len(), (3 << 20) / 8);
        assert!(words.iter().all(|&word| word == 0));
        assert!(words.as_ptr().addr().is_multiple_of(HUGE_PAGE));
        words[7] = 7;
        assert_eq!(memory.slice::<u64>()[7], 7);
    }

    #[test]
    fn a_cleared_mapping_is_zero_whether_small_or_large() {
        for bytes in [2 << 20, SMALL, SMALL + (2 << 20)] {
            let mut memory = Mapping::new(bytes).unwrap();
            let words = memory.slice::<u64>();
            let last = words.len() - 1;
            (words[0], words[last / 2], words[last]) = (1, 2, 3);
            memory.clear();
            assert_eq!(memory.len(), bytes);
            assert!(memory.slice::<u64>().iter().step_by(8).all(|&word| word == 0), "{bytes}");
            assert_eq!(memory.slice::<u64>()[last], 0);
        }
    }

    /// The resident set size of this process in bytes.
    #[cfg(target_os = "linux")]
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }

    /// Writing zeros would keep all pages resident; a new mapping has none.
    #[test]
    #[cfg(target_os = "linux")]
    fn clearing_a_large_mapping_writes_no_zeros() {
        let bytes = 512 << 20;
        let mut memory = Mapping::new(bytes).unwrap();
        memory.slice::<u64>().iter_mut().step_by(512).for_each(|word| *word = 1);
        assert!(resident() > bytes / 2);
        memory.clear();
        // The old mapping is unmapped by another thread.
        for _ in 0..2000 {
            if resident() < bytes / 2 {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{} bytes are still resident", resident());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(!is_available(usize::MAX) && !is_available(usize::MAX / 2));
        assert!(is_available(0));
        assert!(Mapping::new(usize::MAX).is_none());
        assert!(Mapping::new(usize::MAX / 2).is_none());
    }
}
