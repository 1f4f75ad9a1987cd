//! A server in this process and its clients.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tabiya_serve::{Access, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Much longer than anything takes: a busy machine is no failure.
pub const LONG: Duration = Duration::from_secs(120);

/// Starts a server at a free port; it ends with the runtime of the test.
pub async fn start(access: Access) -> SocketAddr {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(address, access).await.expect("a free port");
    let address = server.address().expect("an address");
    tokio::spawn(server.run());
    address
}

/// Sends bytes and reads the answer until the connection is closed (`Connection: close`).
pub async fn raw(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut answer)).await.expect("an end");
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status and the whole answer to a request with these header lines besides `Host`.
pub async fn request(address: SocketAddr, line: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    let answer = raw(address, (request + "\r\n").as_bytes()).await;
    (status(&answer), answer)
}

/// The status of an answer.
pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// A tab.
pub struct Tab {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Tab {
    /// Opens a socket with these headers, besides those of the protocol.
    pub async fn try_open(
        address: SocketAddr,
        query: &str,
        headers: &[(&'static str, String)],
    ) -> Result<Self, Box<Error>> {
        let mut request = format!("ws://{address}/ws{query}").into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        let (socket, _) = timeout(LONG, connect_async(request)).await.expect("an answer")?;
        Ok(Self { socket })
    }

    /// Opens a tab as the page does.
    pub async fn open(address: SocketAddr) -> Self {
        let origin = ("origin", format!("http://{address}"));
        Self::try_open(address, "", &[origin]).await.expect("a socket")
    }

    /// Opens a tab and sends `hello`; returns the tab and the number of its session.
    pub async fn hello(address: SocketAddr) -> (Self, u64) {
        let mut tab = Self::open(address).await;
        tab.send(serde_json::json!({ "type": "hello", "protocol": 1 })).await;
        let welcome = tab.next_of("welcome").await;
        (tab, welcome["session"].as_u64().expect("a number"))
    }

    pub async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub async fn send_text(&mut self, text: &str) {
        let _ = timeout(LONG, self.socket.send(Message::text(text))).await.expect("sent");
    }

    /// The next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            match timeout(LONG, self.socket.next()).await.expect("an answer")? {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message of a type; others are skipped.
    pub async fn next_of(&mut self, name: &str) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("the end, but no {name}"));
            if message["type"] == name {
                return message;
            }
        }
    }
}
