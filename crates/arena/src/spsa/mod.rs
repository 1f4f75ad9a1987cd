//! Tuning of engine options by SPSA (simultaneous perturbation stochastic approximation), as OpenBench runs it.
//!
//! An iteration is a pair of games between two copies of an engine: one with all parameters moved by +c or −c,
//! each at random, the other with all moved the other way. The score of the first, wins minus losses, moves the
//! parameters in its direction. The step sizes shrink with the iterations (`schedule`):
//!
//! c(k) = c · (N / k)^γ, a(k) = r · c² · ((A + N) / (A + k))^α, with γ = 0.101, α = 0.602 and A = N / 10.
//!
//! So c and r of a parameter (`parameters`) are its perturbation and its learning rate in the last iteration.
//! `run` plays the games, several at a time; `state` is the file that an interrupted tuning resumes from; `plot`
//! and `table` show the parameters.
//!
//! Reference: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
//! optimization", 1998.

mod parameters;
mod plot;
mod run;
mod schedule;
mod state;
mod table;

pub use parameters::{Parameter, suggestions};
pub use plot::svg;
pub use run::{Iteration, TuneError, Tuner};
pub use schedule::{GainSchedule, Trial};
pub use state::{SavedState, Tuning, TuningError};
pub use table::{UNIMPORTANT, json, summary, table};
