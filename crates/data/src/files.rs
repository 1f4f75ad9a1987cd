//! Files that are there whole or not at all.
//!
//! Everything is written to a temporary name in the same folder, brought to the disk, and renamed. A
//! reader of the folder never sees the beginning of a file, whenever the writer is killed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::DataError;

/// What temporary names end in.
pub(crate) const TEMPORARY: &str = ".tmp";

/// The temporary name of a file: hidden, in the same folder.
fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(TEMPORARY);
    path.with_file_name(name)
}

/// A file under construction; its hash is computed on the way. Unless it is finished, it is removed.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    hasher: blake3::Hasher,
    bytes: u64,
}

/// What a finished file is known by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Written {
    pub bytes: u64,
    pub blake3: String,
}

impl NewFile {
    pub(crate) fn create(path: &Path) -> Result<Self, DataError> {
        let file = File::create(temporary(path)).map_err(DataError::io("create", path))?;
        let file = Some(BufWriter::with_capacity(1 << 18, file));
        Ok(Self { path: path.to_owned(), file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it what its name says.
    pub(crate) fn finish(mut self) -> Result<Written, DataError> {
        self.rename().map_err(DataError::io("write", &self.path))?;
        Ok(Written { bytes: self.bytes, blake3: self.hasher.finalize().to_hex().to_string() })
    }

    /// Makes it what its name says, with other bytes at its beginning; its hash is not told.
    pub(crate) fn finish_with_head(mut self, head: &[u8]) -> Result<(), DataError> {
        let result = match &mut self.file {
            Some(file) => file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(head)),
            None => Ok(()),
        };
        result.and_then(|()| self.rename()).map_err(DataError::io("write", &self.path))
    }

    fn rename(&mut self) -> io::Result<()> {
        if let Some(mut file) = self.file.take() {
            let whole = file.flush().and_then(|()| file.get_ref().sync_all());
            let renamed = whole.and_then(|()| fs::rename(temporary(&self.path), &self.path));
            if renamed.is_err() {
                let _ = fs::remove_file(temporary(&self.path));
            }
            return renamed;
        }
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let count = file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // What is in the buffer is not worth writing.
            drop(file.into_parts());
            let _ = fs::remove_file(temporary(&self.path));
        }
    }
}

/// Writes a small file whole.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<Written, DataError> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes).map_err(DataError::io("write", path))?;
    file.finish()
}

/// Writes a small file so that it is there whole or not at all, whenever the writer is killed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    write(path, bytes).map(|_| ())
}

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<(), DataError> {
    fs::create_dir_all(path).map_err(DataError::io("create folder", path))
}

/// The hash of a file, and how many bytes it has.
pub(crate) fn hash(path: &Path) -> Result<Written, DataError> {
    let mut hasher = blake3::Hasher::new();
    let copied = File::open(path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    let bytes = copied.map_err(DataError::io("read", path))?;
    Ok(Written { bytes, blake3: hasher.finalize().to_hex().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_only_when_it_is_finished() {
        let folder = std::env::temp_dir().join(format!("tabiya-files-{}", std::process::id()));
        create_folder(&folder).unwrap();
        let path = folder.join("a");
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let written = write(&path, b"whole").unwrap();
        assert_eq!((fs::read(&path).unwrap(), written.bytes), (b"whole".to_vec(), 5));
        assert_eq!(hash(&path).unwrap(), written);
        let missing = write(&folder.join("no/such/folder"), b"").unwrap_err();
        assert!(missing.to_string().starts_with("cannot create "), "{missing}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
