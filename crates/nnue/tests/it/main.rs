//! Networks of every architecture, in one test program.

mod halfka;
mod halfkp;
mod hostile_files;
mod incremental;
mod walk;
