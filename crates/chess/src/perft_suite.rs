//! Perft suites: lines `variant; FEN; n1 n2 …` with the leaf nodes at depth 1, 2, ….

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::num::ParseIntError;

/// A position with its leaf nodes by depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftCase {
    /// The position.
    pub fen: String,
    /// Leaf nodes at depth 1, 2, ….
    pub counts: Vec<u64>,
}

/// Why a line is not part of a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PerftCaseError {
    /// There are not three fields.
    #[error("expected 'variant; FEN; n1 n2 …', found {0} fields")]
    Fields(usize),
    /// Neither `standard` nor `chess960`.
    #[error("unknown variant '{0}': standard or chess960")]
    Variant(String),
    /// Not an integer.
    #[error("'{0}' is not a count: {1}")]
    Count(String, ParseIntError),
}

impl PerftCase {
    /// Parses a line; `None` for an empty line or a comment (`#`).
    ///
    /// ```
    /// use tabiya_chess::perft_suite::PerftCase;
    /// let case = PerftCase::parse("standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; 5 25")?;
    /// assert_eq!(case.map(|case| case.counts), Some(vec![5, 25]));
    /// assert_eq!(PerftCase::parse("# a comment")?, None);
    /// # Ok::<(), tabiya_chess::perft_suite::PerftCaseError>(())
    /// ```
    pub fn parse(line: &str) -> Result<Option<Self>, PerftCaseError> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[variant, fen, counts] = fields.as_slice() else {
            return Err(PerftCaseError::Fields(fields.len()));
        };
        if !matches!(variant, "standard" | "chess960") {
            return Err(PerftCaseError::Variant(variant.to_owned()));
        }
        let parse = |count: &str| {
            count.parse().map_err(|error| PerftCaseError::Count(count.to_owned(), error))
        };
        let counts = counts.split_ascii_whitespace().map(parse).collect::<Result<_, _>>()?;
        Ok(Some(Self { fen: fen.to_owned(), counts }))
    }
}
