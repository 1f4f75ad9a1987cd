//! A temporary directory with the few operations tests need, and whole directories as values.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that is removed when dropped.
#[derive(Debug)]
pub struct TempDir(tempfile::TempDir);

impl TempDir {
    /// A new, empty directory.
    #[expect(clippy::new_without_default, reason = "creating a directory is no default value")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// A path in the directory.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The same as an argument of a command.
    pub fn path(&self, name: &str) -> String {
        self.join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// Writes a file and returns its path as an argument of a command.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        self.write_file(name, bytes);
        self.path(name)
    }

    /// Writes a file and returns its path.
    pub fn write_file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, bytes).expect("a file in a temporary directory");
        path
    }

    /// Reads a text file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// All files below a directory with their bytes, by relative path. A file is its own single entry.
pub fn contents(path: impl AsRef<Path>) -> BTreeMap<String, Vec<u8>> {
    let path = path.as_ref();
    if path.is_file() {
        return BTreeMap::from([(String::new(), fs::read(path).expect("a file"))]);
    }
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(path).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        for (below, bytes) in contents(entry.path()) {
            let full = if below.is_empty() { name.clone() } else { format!("{name}/{below}") };
            all.insert(full, bytes);
        }
    }
    all
}

/// Copies a directory recursively.
pub fn copy_dir(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    for (name, bytes) in contents(from) {
        let target = to.as_ref().join(name);
        fs::create_dir_all(target.parent().expect("a file in a directory")).expect("a directory");
        fs::write(target, bytes).expect("a copy");
    }
}
