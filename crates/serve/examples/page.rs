//! Serves the page on loopback, for work on its files: debug builds read them from disk.
//!
//! `cargo run -p tabiya-serve --example page -- --port 8000`

use std::net::{Ipv4Addr, SocketAddr};

use tabiya_serve::{Access, Server};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--port").skip(1);
    let port = arguments.next().map_or(Ok(8000), |port| port.parse())?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server = Server::bind(address, Access::default()).await?;
    println!("http://{}/", server.address()?);
    server.run().await;
    Ok(())
}
