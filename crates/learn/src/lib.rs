//! What every training shares.
