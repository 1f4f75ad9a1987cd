//! The server of the program: the address it listens at, start and stop.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::runtime::Builder;
use tokio::sync::Notify;

use crate::access::{Access, InvalidToken};
use crate::server::Server;

/// The port that is tried first.
pub const DEFAULT_PORT: u16 = 8000;
/// The number of further ports tried before any free one is taken.
const MORE_PORTS: u16 = 20;
/// The minimum of threads for requests and messages, so that an expensive one does not block the others.
const MIN_THREADS: usize = 4;

/// Where to listen.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A name or an address; by default loopback.
    pub host: Option<String>,
    /// A port; by default 8000 or the next free one.
    pub port: Option<u16>,
    /// The token that requests must carry.
    pub token: Option<String>,
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The host does not resolve.
    #[error("cannot resolve the host '{host}': {error}")]
    Host {
        /// The host.
        host: String,
        /// The reason.
        error: io::Error,
    },
    /// The host is not loopback, and there is no token.
    #[error("the host '{0}' is reachable from other machines: a token is required (--token)")]
    NeedsToken(String),
    /// The token is malformed.
    #[error(transparent)]
    Token(#[from] InvalidToken),
    /// The port is in use.
    #[error("port {0} is in use; choose another one, or none for a free one")]
    PortInUse(u16),
    /// Binding failed.
    #[error("cannot listen at {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// The runtime cannot start.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// A listening server: URL, ports found in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listening {
    /// The URL of the page, with the token.
    pub url: String,
    /// The first port found in use.
    pub skipped: Option<u16>,
}

/// Stops a server from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    /// Stops it at once.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// Serves the page until it is stopped. `ready` is called when connections are accepted.
pub fn serve(
    options: &Options,
    stopper: &Stopper,
    ready: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    let addresses = addresses(options.host.as_deref())?;
    let is_local = addresses.iter().all(IpAddr::is_loopback);
    if !is_local && options.token.is_none() {
        return Err(ServeError::NeedsToken(options.host.clone().unwrap_or_default()));
    }
    let access = Access::new(options.host.as_deref(), options.token.as_deref())?;
    let threads = available_parallelism().map_or(1, NonZero::get).max(MIN_THREADS);
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    let served = runtime.block_on(async {
        let ip = addresses.first().copied().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let (server, skipped) = listen(ip, options.port, access).await?;
        let address = server.address().map_err(ServeError::Start)?;
        ready(&Listening { url: url(options, address), skipped });
        tokio::select! {
            () = server.run() => {}
            () = stopper.0.notified() => {}
        }
        Ok(())
    });
    // Closed tabs have cancelled their searches; nothing needs to be awaited.
    runtime.shutdown_background();
    served
}

/// The addresses of a host; loopback without one.
fn addresses(host: Option<&str>) -> Result<Vec<IpAddr>, ServeError> {
    let Some(host) = host else { return Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) };
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let failed = |error| ServeError::Host { host: host.to_owned(), error };
    let found: Vec<IpAddr> =
        (bare, 0).to_socket_addrs().map_err(failed)?.map(|address| address.ip()).collect();
    if found.is_empty() {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    Ok(found)
}

/// Listens at the given port, or at the first free one of a range; also returns the first port found in use.
async fn listen(
    ip: IpAddr,
    port: Option<u16>,
    access: Access,
) -> Result<(Server, Option<u16>), ServeError> {
    let ports: Vec<u16> = match port {
        Some(port) => vec![port],
        None => (DEFAULT_PORT..=DEFAULT_PORT + MORE_PORTS).chain([0]).collect(),
    };
    let mut skipped = None;
    for &candidate in &ports {
        let address = SocketAddr::new(ip, candidate);
        match Server::bind(address, access.clone()).await {
            Ok(server) => return Ok((server, skipped)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                skipped = skipped.or(Some(candidate));
            }
            Err(error) => return Err(ServeError::Bind { address, error }),
        }
    }
    Err(ServeError::PortInUse(skipped.unwrap_or_default()))
}

/// The URL of the page, by the given host name or by address.
fn url(options: &Options, address: SocketAddr) -> String {
    let (ip, port) = (address.ip(), address.port());
    let host = match (&options.host, ip) {
        // All addresses of this machine, loopback included.
        _ if ip.is_unspecified() => "127.0.0.1".to_owned(),
        (Some(name), _) if name.parse::<IpAddr>().is_err() => name.clone(),
        (_, IpAddr::V4(ip)) => ip.to_string(),
        (_, IpAddr::V6(ip)) => format!("[{ip}]"),
    };
    let query = options.token.as_ref().map(|token| format!("?token={token}"));
    format!("http://{host}:{port}/{}", query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(options: Options) -> String {
        let unused = |_: &Listening| panic!("the server must not start");
        serve(&options, &Stopper::default(), unused).unwrap_err().to_string()
    }

    #[test]
    fn other_hosts_need_a_token() {
        let host = |host: &str, token: Option<&str>| Options {
            host: Some(host.to_owned()),
            token: token.map(str::to_owned),
            port: Some(0),
        };
        assert!(fail(host("0.0.0.0", None)).contains("--token"));
        assert!(fail(host("::", None)).contains("--token"));
        assert!(fail(host("192.0.2.1", None)).contains("--token"));
        assert!(fail(host("0.0.0.0", Some("short"))).contains("16 to 128"));
        assert!(fail(host("", None)).contains("address"));
    }

    #[test]
    fn a_port_in_use_is_reported_and_the_default_falls_back_to_the_next() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let message = fail(Options { port: Some(port), ..Options::default() });
        assert!(message.starts_with(&format!("port {port} is in use")), "{message}");
        let stopper = Stopper::default();
        stopper.stop();
        let mut reported = None;
        serve(&Options::default(), &stopper, |listening| reported = Some(listening.clone()))
            .unwrap();
        assert!(reported.unwrap().url.starts_with("http://127.0.0.1:"));
    }

    #[test]
    fn urls_contain_host_name_and_token() {
        let of = |host: Option<&str>, token: Option<&str>, address: &str| {
            let (host, token) = (host.map(str::to_owned), token.map(str::to_owned));
            url(&Options { host, token, port: None }, address.parse().unwrap())
        };
        assert_eq!(of(None, None, "127.0.0.1:8000"), "http://127.0.0.1:8000/");
        assert_eq!(of(Some("::1"), None, "[::1]:8000"), "http://[::1]:8000/");
        assert_eq!(of(Some("localhost"), None, "127.0.0.1:80"), "http://localhost:80/");
        assert_eq!(of(Some("0.0.0.0"), Some("t"), "0.0.0.0:1"), "http://127.0.0.1:1/?token=t");
    }
}
