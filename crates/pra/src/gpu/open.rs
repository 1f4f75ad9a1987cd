//! Initializes Burn's devices.

use std::sync::Mutex;

use burn_tensor::{Device as BurnDevice, DeviceKind};
use data::threads::lock;

use super::one_line;
use crate::{ComputeError, Device};

/// Burn initializes a device only once, so open devices are cached.
static OPEN: Mutex<Vec<(Device, BurnDevice)>> = Mutex::new(Vec::new());

impl Device {
    /// Burn's device; an error if the machine does not have it.
    pub fn open(self) -> Result<BurnDevice, ComputeError> {
        let kind = match self {
            Self::Flex => return Ok(BurnDevice::flex()),
            Self::DefaultGpu => DeviceKind::DefaultDevice,
            Self::DiscreteGpu(number) => DeviceKind::DiscreteGpu(number),
            Self::IntegratedGpu(number) => DeviceKind::IntegratedGpu(number),
            Self::SoftwareRasterizer => DeviceKind::Cpu,
        };
        let mut open = lock(&OPEN);
        if let Some((_, device)) = open.iter().find(|(device, _)| *device == self) {
            return Ok(device.clone());
        }
        let device = BurnDevice::wgpu_options().device_kind(kind).init().map_err(|error| {
            ComputeError::NoDevice(format!("no device '{self}': {}", one_line(error)))
        })?;
        open.push((self, device.clone()));
        Ok(device)
    }
}
