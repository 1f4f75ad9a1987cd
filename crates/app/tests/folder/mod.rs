//! A folder for a test, which vanishes with it.

use std::path::PathBuf;

pub struct Folder(pub PathBuf);

impl Folder {
    /// Of this name; tests that run at the same time want different ones.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path in UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
