//! The network that was loaded last: the one thing this library keeps, because its interface has no
//! place to hand it over.
//!
//! Evaluations come from many threads, many millions a second, loading hardly ever. So each thread
//! keeps the network it uses, and only asks a counter whether another has been loaded since: reading
//! a number that nobody changes costs nothing, while a lock would be passed from core to core.

use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnue::halfkp::Network;

use crate::{ProbeError, Status};

/// What came of the last loading.
pub static STATUS: AtomicI32 = AtomicI32::new(Status::NotInitialized as c_int);

static NETWORK: Mutex<Option<Arc<Network>>> = Mutex::new(None);
/// How often a network has been loaded.
static LOADED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The network this thread uses, and the value of [`LOADED`] it belongs to.
    static USED: RefCell<(u64, Option<Arc<Network>>)> = const { RefCell::new((0, None)) };
}

/// No network file is longer; what is longer is not read to its end to find out.
const LONGEST_FILE: u64 = 32 << 20;

/// Loads a file in place of the network that is there.
pub fn load(file: &CStr) -> Result<(), ProbeError> {
    let path = path(file);
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    let unreadable = |error| ProbeError::Unreadable { file: name(), error };
    let opened = regular::open(&path).map_err(unreadable)?;
    opened.take(LONGEST_FILE).read_to_end(&mut bytes).map_err(unreadable)?;
    let network = Network::from_bytes(&bytes);
    let network = network.map_err(|error| ProbeError::BadFile { file: name(), error })?;
    let mut place = NETWORK.lock().unwrap_or_else(PoisonError::into_inner);
    *place = Some(Arc::new(network));
    LOADED.fetch_add(1, Ordering::Release);
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

/// Does something with the network, if there is one.
pub fn with_network(
    work: impl FnOnce(&Network) -> Result<i32, ProbeError>,
) -> Result<i32, ProbeError> {
    let outcome = USED.try_with(|used| {
        let used = &mut *used.try_borrow_mut().map_err(|_| ProbeError::Internal)?;
        let loaded = LOADED.load(Ordering::Acquire);
        if used.0 != loaded {
            let network = NETWORK.lock().unwrap_or_else(PoisonError::into_inner);
            // The counter only changes while the lock is held.
            *used = (LOADED.load(Ordering::Acquire), network.clone());
        }
        work(used.1.as_deref().ok_or(ProbeError::NoNetwork)?)
    });
    outcome.unwrap_or(Err(ProbeError::Internal))
}
