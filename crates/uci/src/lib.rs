//! The UCI protocol in both directions.
