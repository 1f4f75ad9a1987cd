//! Atomic file writes.
//!
//! A file is written to a temporary file with a random name in the same directory, synced and renamed; then
//! the directory is synced. Readers never see a partial file, and a file of the same name is replaced only by
//! a complete one, even if the writer is killed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::num::NonZero;
use std::path::{Component, Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::{DataError, Workers};

/// Temporary files are named `.tabiya-RANDOM.tmp`.
const PREFIX: &str = ".tabiya-";
const SUFFIX: &str = ".tmp";

/// Whether a file name is that of a temporary file. Before version 0.1 they were named `.NAME.tmp`.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// Removes the temporary files of killed processes from a directory, if it exists. The caller must hold the
/// [lock](crate::FolderLock) of the directory.
pub fn remove_temporary_files(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file atomically, and hashes it. [`OutputFile::finish`] renames it to its final name; if it is
/// dropped before that, it is removed and an old file of that name stays.
///
/// A symbolic link is followed: its target is replaced. Devices and pipes (`/dev/stdout`) are written in
/// place.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// Final and temporary path, unless the file is written in place.
    rename: Option<(PathBuf, TempPath)>,
    file: BufWriter<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

/// Size and hash of a finished file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 hash in hexadecimal.
    pub blake3: String,
}

impl OutputFile {
    /// Creates the temporary file beside `path`.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        let (rename, file) = Self::open(path).map_err(DataError::io("create", path))?;
        Ok(Self {
            path: path.to_owned(),
            rename,
            file: BufWriter::with_capacity(1 << 18, file),
            hasher: blake3::Hasher::new(),
            bytes: 0,
        })
    }

    fn open(path: &Path) -> io::Result<(Option<(PathBuf, TempPath)>, File)> {
        let old = fs::metadata(path).ok();
        if let Some(old) = &old
            && !old.is_file()
        {
            // For a directory this fails with the error of the operating system.
            return Ok((None, File::options().write(true).open(path)?));
        }
        let real = if old.is_some() { path.canonicalize()? } else { path.to_owned() };
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The mode of `File::create`, subject to the umask.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder_of(&real))?;
        if let Some(old) = old {
            temporary.as_file().set_permissions(old.permissions())?;
        }
        let (file, temporary) = NamedTempFile::into_parts(temporary);
        Ok((Some((real, temporary)), file))
    }

    /// The final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file and renames it to its final name.
    pub fn finish(mut self) -> Result<Written, DataError> {
        let written = Written {
            bytes: self.bytes,
            blake3: std::mem::take(&mut self.hasher).finalize().to_hex().to_string(),
        };
        let path = self.path.clone();
        self.persist().map_err(DataError::io("write", &path))?;
        Ok(written)
    }

    /// Overwrites the first bytes, then finishes.
    pub(crate) fn finish_with_header(mut self, header: &[u8]) -> Result<(), DataError> {
        let path = self.path.clone();
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(header))
            .and_then(|()| self.persist())
            .map_err(DataError::io("write", &path))
    }

    fn persist(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((real, temporary)) = self.rename.take() else { return Ok(()) };
        self.file.get_ref().sync_all()?;
        temporary.persist(&real).map_err(|error| error.error)?;
        sync_folder(folder_of(&real))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Parent directory of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs the entries of a directory: otherwise a rename may be lost in a power failure.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Writes a small file atomically.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<Written, DataError> {
    let mut file = OutputFile::create(path)?;
    file.write_all(bytes).map_err(DataError::io("write", path))?;
    file.finish()
}

/// Writes a small file atomically: even if the writer is killed, it is complete or absent.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    write(path, bytes).map(|_| ())
}

/// Identity of a file or directory, independent of its path. None for pipes, which must not be opened to
/// compare them, and for devices, which may be input and output at once.
pub fn identity(path: &Path) -> Option<same_file::Handle> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_file() || metadata.is_dir() {
        same_file::Handle::from_path(path).ok()
    } else {
        None
    }
}

/// Refuses an output that is the same file as one of the inputs, by any path. Inputs that do not exist,
/// and `-`, are ignored.
pub fn ensure_distinct<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), DataError> {
    let Some(output_file) = identity(output) else { return Ok(()) };
    for input in inputs {
        if input != Path::new("-") && identity(input).is_some_and(|input| input == output_file) {
            return Err(DataError::OutputIsInput {
                output: output.to_owned(),
                input: input.to_owned(),
            });
        }
    }
    Ok(())
}

/// Refuses an output directory that is an input, lies in one, or contains one. Inputs that do not exist, and
/// `-`, are ignored.
pub fn ensure_apart<'a>(
    folder: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), DataError> {
    let output = real_path(folder).map_err(DataError::io("resolve", folder))?;
    for input in inputs.into_iter().filter(|input| *input != Path::new("-")) {
        let Ok(real) = input.canonicalize() else { continue };
        let relation = match () {
            () if output == real => {
                let (output, input) = (folder.to_owned(), input.to_owned());
                return Err(DataError::OutputIsInput { output, input });
            }
            () if output.starts_with(&real) => "lies in",
            () if real.starts_with(&output) => "contains",
            () => continue,
        };
        let reason = format!("it {relation} the input {}", input.display());
        return Err(DataError::Occupied { path: folder.to_owned(), reason });
    }
    Ok(())
}

/// The absolute path without links and `..`; the path need not exist.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => _ = real.pop(),
            part => real.push(part),
        }
        real = real.canonicalize().unwrap_or(real);
    }
    Ok(real)
}

/// Creates a directory and its parents.
pub(crate) fn create_folder(path: &Path) -> Result<(), DataError> {
    fs::create_dir_all(path).map_err(DataError::io("create directory", path))
}

/// Size and hash of a file.
pub(crate) fn hash(path: &Path) -> Result<Written, DataError> {
    hash_until(path, NonZero::<usize>::MIN.into())
}

/// [`hash`], interrupted by the stop flag.
pub(crate) fn hash_until(path: &Path, workers: Workers<'_>) -> Result<Written, DataError> {
    let mut hasher = blake3::Hasher::new();
    let opened = regular::open(path);
    let copied = opened.and_then(|file| io::copy(&mut Stoppable(file, workers), &mut hasher));
    let bytes = copied.map_err(|cause| match workers.are_stopped() {
        true => DataError::Interrupted { resumes: true },
        false => DataError::Io { what: "read", path: path.to_owned(), cause },
    })?;
    Ok(Written { bytes, blake3: hasher.finalize().to_hex().to_string() })
}

/// Fails to read when the stop flag is set.
struct Stoppable<'a>(File, Workers<'a>);

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Not `Interrupted`, after which reading is repeated.
        if self.1.are_stopped() { Err(io::Error::other("stopped")) } else { self.0.read(buffer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_exists_only_after_finish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(entries(folder.path()), 0);
        let written = write(&path, b"whole").unwrap();
        assert_eq!((fs::read(&path).unwrap(), written.bytes), (b"whole".to_vec(), 5));
        assert_eq!(hash(&path).unwrap(), written);
        let missing = write(&folder.path().join("no/such/folder"), b"").unwrap_err();
        assert!(missing.to_string().starts_with("cannot create "), "{missing}");
    }

    #[test]
    fn an_old_file_is_replaced_by_a_complete_one_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(entries(folder.path()), 1);
        let error = write(folder.path(), b"").unwrap_err();
        assert!(error.to_string().starts_with("cannot create "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_permissions_kept_and_devices_written_in_place() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        // A link with the temporary name of older versions is not followed.
        symlink(&path, folder.path().join(".b.tmp")).unwrap();
        write(&folder.path().join("b"), b"b").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn an_output_folder_that_overlaps_an_input_is_refused_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let (input, other) = (folder.path().join("set"), folder.path().join("other"));
        fs::create_dir_all(input.join("train")).unwrap();
        let refused = |output: &Path| {
            let error = ensure_apart(output, [Path::new("-"), Path::new("missing"), &input]);
            error.err().map(|error| error.to_string()).unwrap_or_default()
        };
        for allowed in [&other, &other.join("x/y"), &folder.path().join("settle")] {
            assert_eq!(refused(allowed), "");
        }
        assert!(refused(&input).contains("is the input"));
        assert!(refused(&other.join("../set")).contains("is the input"));
        assert!(refused(&input.join("train")).contains("lies in the input"));
        assert!(refused(&input.join("new/folder")).contains("lies in the input"));
        assert!(refused(folder.path()).contains("contains the input"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, &other).unwrap();
            assert!(refused(&other).contains("is the input"));
            assert!(refused(&other.join("new")).contains("lies in the input"));
        }
    }

    #[test]
    fn an_output_that_is_an_input_is_refused_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, b"a").unwrap();
        let distinct = |output: &Path, input: &Path| ensure_distinct(output, [input]).is_ok();
        assert!(distinct(&b, &a));
        assert!(!distinct(&a, &a));
        assert!(!distinct(&folder.path().join("./a"), &a));
        fs::hard_link(&a, &b).unwrap();
        assert!(!distinct(&b, &a));
        let error = ensure_distinct(&b, [Path::new("-"), a.as_path()]).unwrap_err().to_string();
        assert!(error.contains("is the input"), "{error}");
        if cfg!(unix) {
            let null = Path::new("/dev/null");
            assert!(distinct(null, null));
        }
    }
}
