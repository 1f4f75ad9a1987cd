//! The tests of the library from the outside, in one test program.

mod cases;
mod hostile;
mod player;
mod playouts;
mod slow;
