//! Names of compute devices other than the CPU. All builds parse them, so that one without the feature
//! `gpu` distinguishes a device it does not support from an unknown one.

use std::fmt;
use std::str::FromStr;

use crate::ComputeError;

/// A compute device of the Burn backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Device {
    /// The default GPU of the machine.
    #[default]
    DefaultGpu,
    /// A discrete GPU, counted from 0.
    DiscreteGpu(usize),
    /// An integrated GPU, counted from 0.
    IntegratedGpu(usize),
    /// A software rasterizer; slow, for tests.
    SoftwareRasterizer,
    /// Burn's CPU backend; for tests.
    Flex,
}

impl FromStr for Device {
    type Err = ComputeError;

    fn from_str(text: &str) -> Result<Self, ComputeError> {
        let unknown = || {
            let names = "gpu, gpu:N, integrated:N, software or flex";
            ComputeError::NoDevice(format!("unknown device '{text}': expected cpu, {names}"))
        };
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| unknown())?)),
            None => (text, None),
        };
        match (name, number) {
            ("gpu", None) => Ok(Self::DefaultGpu),
            ("gpu", Some(number)) => Ok(Self::DiscreteGpu(number)),
            ("integrated", number) => Ok(Self::IntegratedGpu(number.unwrap_or(0))),
            ("software", None) => Ok(Self::SoftwareRasterizer),
            ("flex", None) => Ok(Self::Flex),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefaultGpu => f.write_str("gpu"),
            Self::DiscreteGpu(number) => write!(f, "gpu:{number}"),
            Self::IntegratedGpu(number) => write!(f, "integrated:{number}"),
            Self::SoftwareRasterizer => f.write_str("software"),
            Self::Flex => f.write_str("flex"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_round_trip_and_others_are_errors() {
        for name in ["gpu", "gpu:1", "integrated:0", "software", "flex"] {
            assert_eq!(name.parse::<Device>().unwrap().to_string(), name);
        }
        for name in ["", "cuda", "gpu:", "gpu:x", "gpu:-1", "flex:0", "gpu:1:2"] {
            let error = name.parse::<Device>().unwrap_err().to_string();
            let names = "cpu, gpu, gpu:N, integrated:N, software or flex";
            assert_eq!(error, format!("unknown device '{name}': expected {names}"));
        }
    }
}
