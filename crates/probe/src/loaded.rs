//! The loaded network: global state, because the C interface has no handle.
//!
//! Evaluations run on many threads, millions per second; loads are rare. Each thread caches the network and
//! compares a generation counter: reading a shared cache line that does not change is free, while a lock
//! would move between cores.

use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnue::halfkp::Network;

use crate::{ProbeError, Status};

/// The status of the last `nnue_init`.
pub static STATUS: AtomicI32 = AtomicI32::new(Status::NotInitialized as c_int);

static NETWORK: Mutex<Option<Arc<Network>>> = Mutex::new(None);
/// The generation: the number of networks loaded so far.
static GENERATION: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The network of this thread, and its [`GENERATION`].
    static CACHED: RefCell<(u64, Option<Arc<Network>>)> = const { RefCell::new((0, None)) };
}

/// The size limit of a network file.
const MAX_FILE_LEN: u64 = 32 << 20;

/// Loads a file and replaces the network.
pub fn load(file: &CStr) -> Result<(), ProbeError> {
    let path = path(file);
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    let unreadable = |error| ProbeError::Unreadable { file: name(), error };
    let opened = regular::open(&path).map_err(unreadable)?;
    opened.take(MAX_FILE_LEN).read_to_end(&mut bytes).map_err(unreadable)?;
    let network = Network::from_bytes(&bytes);
    let network = network.map_err(|error| ProbeError::BadFile { file: name(), error })?;
    let mut current = NETWORK.lock().unwrap_or_else(PoisonError::into_inner);
    *current = Some(Arc::new(network));
    GENERATION.fetch_add(1, Ordering::Release);
    Ok(())
}

#[cfg(unix)]
fn path(file: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(file.to_bytes()).into()
}

#[cfg(not(unix))]
fn path(file: &CStr) -> PathBuf {
    PathBuf::from(file.to_string_lossy().into_owned())
}

/// Calls a function with the loaded network.
pub fn with_network(
    work: impl FnOnce(&Network) -> Result<i32, ProbeError>,
) -> Result<i32, ProbeError> {
    let outcome = CACHED.try_with(|cached| {
        let cached = &mut *cached.try_borrow_mut().map_err(|_| ProbeError::Internal)?;
        let generation = GENERATION.load(Ordering::Acquire);
        if cached.0 != generation {
            let network = NETWORK.lock().unwrap_or_else(PoisonError::into_inner);
            // The counter only changes while the lock is held.
            *cached = (GENERATION.load(Ordering::Acquire), network.clone());
        }
        work(cached.1.as_deref().ok_or(ProbeError::NoNetwork)?)
    });
    outcome.unwrap_or(Err(ProbeError::Internal))
}
