//! The tests of the library from the outside, in one test program.

mod examples;
mod exchange;
mod game;
mod malformed;
mod notation;
mod packed;
mod perft;
mod pgn;
mod property;
mod slow;
mod trees;
mod twins;
mod walk;
