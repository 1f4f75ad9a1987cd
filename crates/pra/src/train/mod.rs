//! A training: from the rows of a data set to a model's folder, with a log, a curve and checkpoints.
//!
//! | file | holds |
//! |---|---|
//! | `options` | everything a training is told |
//! | `log`, `curve` | what was measured on the way, and its picture |
//! | `validate` | loss and accuracy on rows that are not learned from |
//! | `checkpoint` | the whole state in a folder, from which a training goes on to the bit |
//! | `run` | a training from beginning to end, or from where it was killed |

mod checkpoint;
mod curve;
mod error;
mod log;
mod options;
mod run;
mod validate;

pub use curve::loss_svg;
pub use error::TrainError;
pub use log::{LogLine, StepLine, ValidationLine, read_log};
pub use options::TrainOptions;
pub use run::{CHECKPOINTS, CURVE, Event, FINISHED, LOG, Progress, Trained, Training, train};
pub use validate::{Validation, validate};
