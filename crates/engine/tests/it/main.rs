//! The engine from the outside. One test program: it links once.

mod endings;
mod examples;
mod mates;
mod networks;
mod root_moves;
mod syzygy;
mod syzygy_damage;
mod syzygy_play;
mod tables;
mod talk;
mod threads;
