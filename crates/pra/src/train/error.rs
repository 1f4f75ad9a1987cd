//! Errors of loader, model and device as errors of a training.

use learn::TrainError;

use crate::compute::ComputeError;
use crate::config::ConfigError;
use crate::loader::LoaderError;
use crate::weights::ModelError;

impl From<LoaderError> for TrainError {
    fn from(error: LoaderError) -> Self {
        match error {
            LoaderError::Data(error) => error.into(),
            error => Self::Examples(error.to_string()),
        }
    }
}

impl From<ModelError> for TrainError {
    fn from(error: ModelError) -> Self {
        Self::Model(error.into())
    }
}

impl From<ConfigError> for TrainError {
    fn from(error: ConfigError) -> Self {
        Self::Options(error.to_string())
    }
}

impl From<ComputeError> for TrainError {
    fn from(error: ComputeError) -> Self {
        Self::Model(error.into())
    }
}
