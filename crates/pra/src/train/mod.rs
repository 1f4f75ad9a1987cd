//! Training: from the rows of a data set to a model directory.
//!
//! | file | contents |
//! |---|---|
//! | `options` | hyperparameters |
//! | `batches` | the micro-batches of each step |
//! | `run` | a training run, resumable |
//! | `validate` | validation loss and accuracy |
//! | `checkpoint` | the state of a run in a directory |
//! | `log` | lines of the log |

mod batches;
mod checkpoint;
mod error;
mod log;
mod options;
mod run;
mod validate;

pub use checkpoint::{saved_options, tag_folder, tagged_model};
pub use log::{LogLine, StepLine, ValidationLine};
pub use options::TrainOptions;
pub use run::{CHECKPOINTS, CURVE, Event, FINISHED, Trained, Training, train};
pub use validate::Validation;
