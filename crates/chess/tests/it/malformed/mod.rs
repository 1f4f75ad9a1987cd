//! Malformed FEN and illegal setups: each is rejected with the reason; nothing panics.

mod fen_text;
mod setups;
