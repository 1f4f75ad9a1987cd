//! Chooses the network that is embedded: the file that `EVALFILE` names (an absolute path, or one relative to
//! the root of the workspace), else `networks/tabiya.nnue`, else none, and then the engine evaluates by its
//! classical evaluation (HCE).

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(embedded_network)");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    // The directory, not the file: a file that is not there would be looked for in every build.
    println!("cargo::rerun-if-changed=networks");
    println!("cargo::rerun-if-changed=build.rs");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let Some(file) = chosen(&package) else { return };
    match file.canonicalize() {
        Ok(file) => {
            println!("cargo::rerun-if-changed={}", file.display());
            println!("cargo::rustc-env=TABIYA_NETWORK={}", file.display());
            println!("cargo::rustc-cfg=embedded_network");
        }
        Err(error) => println!("cargo::error=the network {}: {error}", file.display()),
    }
}

fn chosen(package: &Path) -> Option<PathBuf> {
    match env::var_os("EVALFILE").filter(|name| !name.is_empty()) {
        Some(name) => Some(package.join("../..").join(name)),
        None => Some(package.join("networks/tabiya.nnue")).filter(|file| file.exists()),
    }
}
