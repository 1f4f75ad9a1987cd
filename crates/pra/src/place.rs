//! Names of devices beside the processor. They are known in every build, so that one without the
//! feature `gpu` can tell a device that it lacks from a slip of the pen.

use std::fmt;
use std::str::FromStr;

use crate::ComputeError;

/// A device that may be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// The best graphics device of the machine.
    #[default]
    Best,
    /// A graphics card of its own, counted from 0.
    Card(usize),
    /// A graphics device in the processor, counted from 0.
    Integrated(usize),
    /// A graphics device that the processor plays; slow, for tests.
    Software,
    /// The processor, by Burn's own engine for it; for tests.
    Flex,
}

impl FromStr for Place {
    type Err = ComputeError;

    fn from_str(text: &str) -> Result<Self, ComputeError> {
        let wrong = || {
            let names = "gpu, gpu:N, integrated:N, software or flex";
            ComputeError::NoDevice(format!("'{text}' is no device: cpu, {names}"))
        };
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        match (name, number) {
            ("gpu", None) => Ok(Self::Best),
            ("gpu", Some(number)) => Ok(Self::Card(number)),
            ("integrated", number) => Ok(Self::Integrated(number.unwrap_or(0))),
            ("software", None) => Ok(Self::Software),
            ("flex", None) => Ok(Self::Flex),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Best => f.write_str("gpu"),
            Self::Card(number) => write!(f, "gpu:{number}"),
            Self::Integrated(number) => write!(f, "integrated:{number}"),
            Self::Software => f.write_str("software"),
            Self::Flex => f.write_str("flex"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_told_by_its_name() {
        for name in ["gpu", "gpu:1", "integrated:0", "software", "flex"] {
            assert_eq!(name.parse::<Place>().unwrap().to_string(), name);
        }
        for name in ["", "cuda", "gpu:", "gpu:x", "gpu:-1", "flex:0", "gpu:1:2"] {
            let error = name.parse::<Place>().unwrap_err().to_string();
            assert_eq!(
                error,
                format!("'{name}' is no device: cpu, gpu, gpu:N, integrated:N, software or flex")
            );
        }
    }
}
