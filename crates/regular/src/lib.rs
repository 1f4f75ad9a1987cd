#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Regular files, opened and read within a limit.
//!
//! Parquet files, packed rows, manifests, networks and checkpoints have a length and are read from any
//! offset, so a pipe or a device in their place is a mistake: opening a pipe blocks until somebody writes
//! to it, and `/dev/zero` never ends. All readers of such files open them here. Text that may well come
//! through a pipe (PGN, lists of FENs) is opened elsewhere.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a file for reading if it is a regular one; links are followed.
///
/// The type is looked at before the file is opened: opening a pipe would block, and opening a device can
/// have effects of its own.
pub fn open(path: &Path) -> io::Result<File> {
    ensure_regular(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    // Another file may have taken the name meanwhile.
    ensure_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file; one of more than `limit` bytes is an error, whatever length the system reports.
///
/// ```
/// let path = std::env::temp_dir().join(format!("tabiya-regular-{}", std::process::id()));
/// std::fs::write(&path, "twelve bytes").unwrap();
/// assert_eq!(tabiya_regular::read(&path, 12).unwrap(), b"twelve bytes");
/// assert_eq!(tabiya_regular::read(&path, 11).unwrap_err().to_string(), "it has more than 11 bytes");
/// # std::fs::remove_file(path).unwrap();
/// ```
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let too_large =
        || io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes"));
    if length > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a regular file of UTF-8 text; see [`read`].
pub fn read_to_string(path: &Path, limit: u64) -> io::Result<String> {
    let invalid = |error| io::Error::new(ErrorKind::InvalidData, error);
    String::from_utf8(read(path, limit)?).map_err(invalid)
}

fn ensure_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let name = if kind.is_dir() { "directory" } else { special(kind) };
    let message = format!("it is a {name}, not a regular file");
    Err(io::Error::new(ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () => "device",
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "device"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_are_read_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read_to_string(&path, u64::MAX).unwrap(), "12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
        assert_eq!(open(&folder.path().join("b")).unwrap_err().kind(), ErrorKind::NotFound);
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_to_string(&path, 9).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn a_folder_is_refused() {
        let error = open(&std::env::temp_dir()).unwrap_err();
        assert_eq!(error.to_string(), "it is a directory, not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_sockets_and_devices_are_refused_without_being_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for (path, name) in [(&pipe, "pipe"), (&socket, "socket"), (&link, "device")] {
            let error = read(path, 100).unwrap_err().to_string();
            assert_eq!(error, format!("it is a {name}, not a regular file"));
        }
    }
}
