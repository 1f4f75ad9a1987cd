//! Opens the device that the engine runs on.

use std::sync::{Mutex, PoisonError};

use burn_tensor::{Device, DeviceKind};

use super::one_line;
use crate::{ComputeError, Place};

/// Burn opens a device once and no second time, so what is open is kept.
static OPEN: Mutex<Vec<(Place, Device)>> = Mutex::new(Vec::new());

impl Place {
    /// The device, if the machine has it.
    pub fn open(self) -> Result<Device, ComputeError> {
        let kind = match self {
            Self::Flex => return Ok(Device::flex()),
            Self::Best => DeviceKind::DefaultDevice,
            Self::Card(number) => DeviceKind::DiscreteGpu(number),
            Self::Integrated(number) => DeviceKind::IntegratedGpu(number),
            Self::Software => DeviceKind::Cpu,
        };
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, device)) = open.iter().find(|(place, _)| *place == self) {
            return Ok(device.clone());
        }
        let device = Device::wgpu_options().device_kind(kind).init().map_err(|error| {
            ComputeError::NoDevice(format!("no device '{self}': {}", one_line(error)))
        })?;
        open.push((self, device.clone()));
        Ok(device)
    }
}
