//! The compressed values of a table: recursive pairing (Re-Pair), then a canonical Huffman code.
//!
//! Values are paired recursively into up to 4,095 *symbols* of up to 256 values each. The symbols are stored in
//! blocks of equal size with codes of 1 to 32 bits; longer codes are smaller numbers, so that the length of a
//! code is found by comparisons. A sparse index leads to a block near the value, and the block lengths from
//! there to its block.
//!
//! The header is validated when the file is opened, the data when it is read: for any bytes [`Pairs::value`]
//! terminates, and returns `None` if they are invalid.

use std::ops::Range;

use super::FileError;
use super::reader::Reader;

/// Flag: all positions have the same value.
const SINGLE_VALUE: u8 = 0x80;
/// The right child of a symbol of one value (a leaf).
const LEAF: usize = 0xfff;
/// Bytes of a symbol's two children.
const CHILDREN_BYTES: usize = 3;
/// Bytes of an entry of the sparse index: a block, and an offset among its values.
const INDEX_ENTRY: usize = 6;
/// Bytes of a block length.
const LENGTH_ENTRY: usize = 2;
/// The longest code, in bits.
const MAX_CODE: u8 = 32;
/// Bits of the lookup table that skips several codes at once.
const RUN_BITS: u32 = 10;
/// Blocks and steps of the sparse index are powers of two, at most this one.
const MAX_LOG: u8 = 31;

/// Compressed values.
#[derive(Debug)]
pub struct Pairs {
    flags: u8,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Single(u16),
    Blocks(Blocks),
}

#[derive(Debug)]
struct Blocks {
    /// The number of values.
    size: u64,
    block_log: u8,
    /// The span of a sparse index entry in values, as a power of two.
    step_log: u8,
    blocks: u32,
    /// The number of block lengths, padding included.
    lengths_len: u64,
    /// The first code of each length, from the shortest.
    codes: Box<[FirstCode]>,
    /// Runs of codes by the first bits.
    code_runs: Box<[CodeRun; 1 << RUN_BITS]>,
    /// For each symbol: its number of values minus one.
    symbol_lens: Box<[u8]>,
    /// Byte offsets in the file.
    children: Range<usize>,
    index: Range<usize>,
    lengths: Range<usize>,
    data: Range<usize>,
}

/// The first of the codes of one length.
#[derive(Clone, Copy, Debug)]
struct FirstCode {
    /// The code, followed by zeros.
    least: u64,
    /// Its length in bits.
    len: u32,
    /// Its symbol. Those of the codes after it follow.
    symbol: u16,
}

/// The codes that lie within the first [`RUN_BITS`] bits: their number of values times 16, plus their length in
/// bits. Compact, for the cache.
#[derive(Clone, Copy, Default, Debug)]
struct CodeRun(u16);

impl CodeRun {
    fn len(self) -> u32 {
        u32::from(self.0 & 15)
    }

    fn values(self) -> u32 {
        u32::from(self.0 >> 4)
    }

    /// The run extended by a code of a symbol with this number of values minus one.
    fn with(self, len: u32, symbol_len: u8) -> Self {
        Self(self.0 + ((u16::from(symbol_len) + 1) << 4) + len as u16)
    }
}

impl Pairs {
    /// Reads the header of a table with this number of values.
    pub fn read(reader: &mut Reader<'_>, size: u64) -> Result<Self, FileError> {
        let flags = reader.u8()?;
        let content = if flags & SINGLE_VALUE != 0 {
            Content::Single(u16::from(reader.u8()?))
        } else {
            Content::Blocks(Blocks::read(reader, size)?)
        };
        Ok(Self { flags, content })
    }

    /// The flags, those of distances included.
    pub fn flags(&self) -> u8 {
        self.flags
    }

    /// Skips the sparse index.
    pub fn read_index(&mut self, reader: &mut Reader<'_>) -> Result<(), FileError> {
        if let Content::Blocks(blocks) = &mut self.content {
            let entries = blocks.size.div_ceil(1 << blocks.step_log);
            blocks.index = reader.skip(entries, INDEX_ENTRY as u64)?;
        }
        Ok(())
    }

    /// Skips the block lengths.
    pub fn read_lengths(&mut self, reader: &mut Reader<'_>) -> Result<(), FileError> {
        if let Content::Blocks(blocks) = &mut self.content {
            blocks.lengths = reader.skip(blocks.lengths_len, LENGTH_ENTRY as u64)?;
        }
        Ok(())
    }

    /// Skips the blocks.
    pub fn read_data(&mut self, reader: &mut Reader<'_>) -> Result<(), FileError> {
        if let Content::Blocks(blocks) = &mut self.content {
            reader.align(64);
            blocks.data = reader.skip(blocks.blocks.into(), 1 << blocks.block_log)?;
        }
        Ok(())
    }

    /// The value at an index.
    pub fn value(&self, file: &[u8], index: u64) -> Option<u16> {
        match &self.content {
            Content::Single(value) => Some(*value),
            Content::Blocks(blocks) => blocks.value(file, index),
        }
    }
}

impl Blocks {
    fn read(reader: &mut Reader<'_>, size: u64) -> Result<Self, FileError> {
        let (block_log, step_log) = (reader.u8()?, reader.u8()?);
        let padding = reader.u8()?;
        let blocks = reader.u32()?;
        let (max_code, min_code) = (reader.u8()?, reader.u8()?);
        if block_log > MAX_LOG || step_log > MAX_LOG || blocks == 0 {
            return Err(FileError::Header("block sizes"));
        }
        if min_code == 0 || max_code < min_code || max_code > MAX_CODE {
            return Err(FileError::Header("code lengths"));
        }
        let mut lowest = Vec::new();
        for _ in min_code..=max_code {
            lowest.push(reader.u16()?);
        }
        let codes = codes(&lowest, min_code).ok_or(FileError::Header("codes"))?;
        let symbols = reader.u16()?;
        let start = reader.at();
        let pairs = reader.take(usize::from(symbols) * CHILDREN_BYTES)?;
        let children = start..reader.at();
        let symbol_lens = symbol_lens(pairs).ok_or(FileError::Header("symbols"))?;
        reader.align(2);
        Ok(Self {
            size,
            block_log,
            step_log,
            blocks,
            lengths_len: u64::from(blocks) + u64::from(padding),
            code_runs: code_runs(&codes, &symbol_lens),
            codes,
            symbol_lens,
            children,
            index: 0..0,
            lengths: 0..0,
            data: 0..0,
        })
    }

    fn value(&self, file: &[u8], index: u64) -> Option<u16> {
        let (block, offset) = self.locate(file, index)?;
        let start = (block as usize) << self.block_log;
        let data = file.get(self.data.clone())?.get(start..start + (1 << self.block_log))?;
        let (symbol, offset) = self.find_symbol(data, offset)?;
        self.expand(file.get(self.children.clone())?, symbol, offset)
    }

    /// The block of a value, and its offset there.
    fn locate(&self, file: &[u8], index: u64) -> Option<(u32, u32)> {
        if index >= self.size {
            return None;
        }
        let entry = (index >> self.step_log) as usize * INDEX_ENTRY;
        let entry = file.get(self.index.clone())?.get(entry..entry + INDEX_ENTRY)?;
        let mut block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        // The entry is for the middle of the values that it serves.
        let step = 1i64 << self.step_log;
        let within = index as i64 & (step - 1);
        let mut offset = i64::from(u16::from_le_bytes([entry[4], entry[5]])) + within - step / 2;
        let lengths = file.get(self.lengths.clone())?;
        let values = |block: u32| {
            let at = block as usize * LENGTH_ENTRY;
            let entry = lengths.get(at..at + LENGTH_ENTRY)?;
            Some(i64::from(u16::from_le_bytes([entry[0], entry[1]])) + 1)
        };
        // Blocks are walked in one direction, and there is an end in both.
        while offset < 0 {
            block = block.checked_sub(1)?;
            offset += values(block)?;
        }
        loop {
            let values = values(block)?;
            if offset < values {
                break;
            }
            offset -= values;
            block = block.checked_add(1)?;
        }
        (block < self.blocks).then_some((block, offset as u32))
    }

    /// The symbol of the value at an offset of a block, and the offset within the symbol. Each symbol has at
    /// least one value, so this terminates.
    fn find_symbol(&self, data: &[u8], mut offset: u32) -> Option<(usize, u32)> {
        let mut rest = data;
        // Blocks end anywhere; what comes after is never part of a code that is needed.
        let mut next = || {
            let (word, after) = rest.split_first_chunk().unwrap_or((&[0; 4], &[]));
            rest = after;
            u64::from(u32::from_be_bytes(*word))
        };
        let mut bits = next() << 32 | next();
        let mut len = 64;
        loop {
            // Several codes at once, if the value that is looked for comes after them.
            let run = self.code_runs[(bits >> (64 - RUN_BITS)) as usize];
            let (values, code_len) = if run.len() > 0 && offset >= run.values() {
                (run.values(), run.len())
            } else {
                let (symbol, code_len) = symbol_of(&self.codes, bits)?;
                let values = u32::from(*self.symbol_lens.get(symbol)?) + 1;
                if offset < values {
                    return Some((symbol, offset));
                }
                (values, code_len)
            };
            offset -= values;
            bits <<= code_len;
            len -= code_len;
            if len <= 32 {
                bits |= next() << (32 - len);
                len += 32;
            }
        }
    }

    /// The value at an offset of a symbol.
    fn expand(&self, children: &[u8], mut symbol: usize, mut offset: u32) -> Option<u16> {
        // A child stands for fewer values than its parent, and no symbol for more than 256.
        for _ in 0..=u8::MAX {
            let (left, right) = pair(children, symbol)?;
            if *self.symbol_lens.get(symbol)? == 0 {
                return Some(left as u16);
            }
            let values = u32::from(*self.symbol_lens.get(left)?) + 1;
            symbol = if offset < values {
                left
            } else {
                offset -= values;
                right
            };
        }
        None
    }
}

/// The first code of each length, from the lowest symbol of each length.
fn codes(lowest: &[u16], min_code: u8) -> Option<Box<[FirstCode]>> {
    let lens = (u32::from(min_code)..).take(lowest.len()).collect::<Vec<_>>();
    let mut codes = Vec::new();
    // The first code of the greatest length is 0; after the last of a length comes the first of the next,
    // which is shorter by a bit.
    let mut first = 0u64;
    let mut longer = None;
    for (&symbol, len) in lowest.iter().zip(lens).rev() {
        if let Some(longer) = longer {
            first = (first + u64::from(symbol.checked_sub(longer)?)) / 2;
        }
        if first >> len != 0 {
            return None;
        }
        codes.push(FirstCode { least: first << (64 - len), len, symbol });
        longer = Some(symbol);
    }
    codes.reverse();
    Some(codes.into())
}

/// The first symbol of a bit sequence, and the length of its code.
fn symbol_of(codes: &[FirstCode], bits: u64) -> Option<(usize, u32)> {
    let code = codes.iter().find(|code| bits >= code.least)?;
    let after = (bits - code.least) >> (64 - code.len);
    Some((usize::from(code.symbol) + after as usize, code.len))
}

/// All runs of codes, by the first bits.
fn code_runs(codes: &[FirstCode], symbol_lens: &[u8]) -> Box<[CodeRun; 1 << RUN_BITS]> {
    Box::new(std::array::from_fn(|first| {
        let mut bits = (first as u64) << (64 - RUN_BITS);
        let mut run = CodeRun::default();
        // The bits after the first are unknown, but a code that ends before them does not depend on these.
        while let Some((symbol, len)) = symbol_of(codes, bits)
            && let Some(&symbol_len) = symbol_lens.get(symbol)
            && run.len() + len <= RUN_BITS
        {
            run = run.with(len, symbol_len);
            bits <<= len;
        }
        run
    }))
}

/// The two children of a symbol, 12 bits each.
fn pair(children: &[u8], symbol: usize) -> Option<(usize, usize)> {
    let at = symbol * CHILDREN_BYTES;
    let bytes = children.get(at..at + CHILDREN_BYTES)?;
    let [low, middle, high] = [bytes[0], bytes[1], bytes[2]].map(usize::from);
    Some(((middle & 15) << 8 | low, high << 4 | middle >> 4))
}

/// The number of values minus one of each symbol; `None` if children are missing, cyclic or have more than 256
/// values.
fn symbol_lens(children: &[u8]) -> Option<Box<[u8]>> {
    let symbols = children.len() / CHILDREN_BYTES;
    let mut lens = vec![None; symbols];
    let mut stack = Vec::new();
    for first in 0..symbols {
        stack.push(first);
        while let Some(&symbol) = stack.last() {
            let (left, right) = pair(children, symbol)?;
            let len = if right == LEAF {
                Some(0)
            } else {
                let missing = [left, right].into_iter().find(|&child| {
                    lens.get(child).is_none_or(Option::is_none) // out of range: found below
                });
                match missing {
                    None => lens[left].zip(lens[right]).and_then(|(l, r)| sum_of_lens(l, r)),
                    Some(child) if child < symbols && stack.len() <= usize::from(u8::MAX) => {
                        stack.push(child);
                        continue;
                    }
                    Some(_) => None,
                }
            };
            lens[symbol] = Some(len?);
            stack.pop();
        }
    }
    lens.into_iter().collect()
}

/// The number of values of a symbol from those of its children, all minus one.
fn sum_of_lens(left: u8, right: u8) -> Option<u8> {
    left.checked_add(right)?.checked_add(1)
}
