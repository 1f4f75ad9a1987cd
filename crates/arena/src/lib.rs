//! Matches between UCI engines.
