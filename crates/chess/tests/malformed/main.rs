//! Malformed FEN and illegal setups: each is rejected with the reason; nothing panics.

#[path = "../slow/mod.rs"]
mod slow;

mod fen_text;
mod setups;
