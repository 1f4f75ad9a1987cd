//! Files that are there whole or not at all: written under another name, brought to the disk, renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::TrainError;

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|cause| {
        let _ = fs::remove_file(&temporary);
        TrainError::io("write", path)(cause)
    })
}
