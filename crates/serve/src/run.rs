//! The server as a program runs it: where it listens, and until when.

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
/// The ports after it that are tried next, before any free one is taken.
const MORE_PORTS: u16 = 20;
/// The least threads for requests and messages: whoever asks for much must not block the others.
const LEAST_THREADS: usize = 4;

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

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The host has no address.
    #[error("cannot find the address of the host '{host}': {error}")]
    Host {
        /// The host.
        host: String,
        /// The reason.
        error: io::Error,
    },
    /// Others than this machine could connect.
    #[error("others can reach the host '{0}': a token is needed (--token)")]
    NeedsToken(String),
    /// The token is none.
    #[error(transparent)]
    Token(#[from] InvalidToken),
    /// Another program listens there.
    #[error("port {0} is in use; choose another one, or none for a free one")]
    PortInUse(u16),
    /// The system refuses.
    #[error("cannot listen at {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// No threads.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// A server that listens: what a person should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listening {
    /// The address of the page, with the token.
    pub url: String,
    /// Ports that were in use.
    pub skipped: Option<u16>,
}

/// Ends a server from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    /// Ends it at once.
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
    let threads = available_parallelism().map_or(1, NonZero::get).max(LEAST_THREADS);
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
    // Searches are ended by their tabs, which are gone; nothing needs to be waited for.
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

/// Listens at a port, or at the first free one of some; then the first that was not free is returned too.
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

/// The address of the page: the name that was given, or the address.
fn url(options: &Options, address: SocketAddr) -> String {
    let (ip, port) = (address.ip(), address.port());
    let host = match (&options.host, ip) {
        // All addresses of this machine; here the page is reached by loopback.
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
        let unused = |_: &Listening| panic!("it must not listen");
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
    fn a_port_in_use_is_named_and_without_one_the_next_is_taken() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let message = fail(Options { port: Some(port), ..Options::default() });
        assert!(message.starts_with(&format!("port {port} is in use")), "{message}");
        let stopper = Stopper::default();
        stopper.stop();
        let mut heard = None;
        serve(&Options::default(), &stopper, |listening| heard = Some(listening.clone())).unwrap();
        assert!(heard.unwrap().url.starts_with("http://127.0.0.1:"));
    }

    #[test]
    fn addresses_of_pages_carry_name_and_token() {
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
