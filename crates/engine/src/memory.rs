//! The memory of the transposition table.
//!
//! It is asked for in *huge pages* where the system has them. A search reads the table in places
//! that have nothing to do with each other; with pages of 4 KiB the processor would have to look up
//! anew where most of these lie before it can fetch them, with pages of 2 MiB it knows.

use memmap2::{MmapMut, MmapOptions};
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// The size of a huge page, and what its address must be a multiple of.
const HUGE_PAGE: usize = 2 << 20;

/// A run of zeros, given by the system as it is touched, so that even a large one is there at once.
pub struct Memory {
    map: MmapMut,
    /// Where the first huge page begins.
    start: usize,
    bytes: usize,
}

impl Memory {
    /// So many bytes, if there are.
    pub fn new(bytes: usize) -> Option<Self> {
        let map = MmapOptions::new().len(bytes.checked_add(HUGE_PAGE)?).map_anon().ok()?;
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
    fn more_than_there_can_be_is_refused() {
        assert!(Memory::new(usize::MAX).is_none());
        assert!(Memory::new(usize::MAX / 2).is_none());
    }
}
