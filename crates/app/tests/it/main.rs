//! The program `tabiya` from the outside. One test program: it links once.

mod analyse;
#[cfg(unix)]
mod book;
mod cli;
mod common;
mod contract;
mod data;
mod eval;
#[cfg(unix)]
mod jobs;
#[cfg(unix)]
mod makefile;
mod matches;
mod measure;
mod nnue_train;
mod paco;
mod pgn;
mod pra;
mod pra_player;
#[cfg(unix)]
mod reference_commands;
mod release;
mod terminal;
mod towers;
mod training_data;
mod uci_contract;
mod uci_stress;
