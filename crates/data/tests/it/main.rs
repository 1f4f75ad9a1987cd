//! Data sets from the outside. One test program: it links once.

mod chunks;
mod damage;
mod files;
mod folders;
mod foreign;
mod hostile;
mod made;
mod prepare;
mod reader;
mod shared;
mod version_0_1;
