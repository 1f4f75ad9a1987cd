//! Accepts connections, limited in number and in time.
//!
//! Upgraded WebSockets do not count. Of the other connections at most [`MAX_CONNECTIONS`] are open, and a new one
//! closes the oldest, so idle connections cannot starve others.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::access::Access;
use crate::http::{Shared, answer};
use crate::tabs::Tabs;

/// Connections besides WebSockets.
const MAX_CONNECTIONS: usize = 256;
/// Timeout of a request's head, also of the next one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a connection with all its requests.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(120);
/// The longest head of a request.
const MAX_HEAD: usize = 16 << 10;
/// The pause after a failed `accept`, which is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A listening server.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens at an address.
    pub async fn bind(address: SocketAddr, access: Access) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let cores = available_parallelism().map_or(1, NonZero::get);
        let shared = Arc::new(Shared { access, tabs: Tabs::new(cores) });
        Ok(Self { listener, shared })
    }

    /// The address it listens at.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the future is dropped.
    pub async fn run(self) {
        let mut open = VecDeque::<AbortHandle>::new();
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    open.retain(|connection| !connection.is_finished());
                    if open.len() >= MAX_CONNECTIONS
                        && let Some(oldest) = open.pop_front()
                    {
                        oldest.abort();
                    }
                    let shared = Arc::clone(&self.shared);
                    open.push_back(tokio::spawn(connection(shared, stream)).abort_handle());
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }
}

/// Serves the requests of a connection; errors of the connection are ignored.
async fn connection(shared: Arc<Shared>, stream: TcpStream) {
    let Ok(local) = stream.local_addr() else { return };
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (shared, request) = (Arc::clone(&shared), request.map(Body::new));
        async move { Ok::<_, std::convert::Infallible>(answer(shared, local, request).await) }
    });
    let requests = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let _ = timeout(CONNECTION_TIMEOUT, requests).await;
}
