//! Load test: starts `tabiya play`, attacks it, and prints the latency of a well-behaved client.
//!
//! `cargo run --release -p tabiya-serve --example load -- target/release/tabiya [SECONDS]`
//!
//! A good client requests a preview twenty times a second and measures the latency, while others flood the server
//! with 50 × 200 messages a second, send malformed frames or large bodies, read nothing, or send heads that never
//! end. Memory grows until every engine and the model are in use, and is flat from then on; a closed tab returns its
//! engines.

use std::error::Error;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, sleep, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;
type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

const PORT: u16 = 8765;
const FLOODS: u64 = 50;
const RATE: u64 = 200;

/// The server, which ends with this program.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    /// Resident memory in MiB, where `/proc` reports it.
    fn memory(&self) -> f64 {
        let path = format!("/proc/{}/status", self.0.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or_default() / 1024.0
    }
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("the path of tabiya is missing")?;
    let seconds = arguments.next().map_or(Ok(60), |text| text.parse())?;
    let long = Duration::from_secs(seconds);
    let child = Command::new(program)
        .args(["play", "--no-browser", "--port", &PORT.to_string()])
        .stdout(Stdio::null())
        .spawn()?;
    let program = Program(child);
    // A busy machine starts it slowly.
    for _ in 0..300 {
        sleep(Duration::from_millis(100)).await;
        if TcpStream::connect(("127.0.0.1", PORT)).await.is_ok() {
            break;
        }
    }
    println!(
        "what                      answers   p50 ms   p99 ms   max ms   MiB before → halfway → after"
    );
    let short = Duration::from_secs(10.min(seconds));
    row("alone", &program, short, None).await?;
    let flooding = || {
        let sent = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&sent);
        let tasks = (0..FLOODS).map(move |n| tokio::spawn(flood(n, Arc::clone(&count))));
        (tasks.collect::<Vec<_>>(), sent)
    };
    let (tasks, sent) = flooding();
    sleep(Duration::from_secs(2)).await;
    row("50 × 200 messages/s", &program, long, Some(&sent)).await?;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let analysing: Vec<_> = (0..8).map(|_| tokio::spawn(analyse())).collect();
    row("8 tabs analysing", &program, short, None).await?;
    analysing.iter().for_each(tokio::task::JoinHandle::abort);
    let sent = Arc::new(AtomicU64::new(0));
    let task = tokio::spawn(malformed(Arc::clone(&sent)));
    row("10,000 malformed frames", &program, short, Some(&sent)).await?;
    task.abort();
    let deaf: Vec<_> = (0..20).map(|_| tokio::spawn(reads_nothing())).collect();
    row("20 slow readers", &program, Duration::from_secs(15), None).await?;
    deaf.iter().for_each(tokio::task::JoinHandle::abort);
    let bodies: Vec<_> = (0..4).map(|_| tokio::spawn(large_bodies())).collect();
    row("4 × bodies of 10 MB", &program, short, None).await?;
    bodies.iter().for_each(tokio::task::JoinHandle::abort);
    let slow: Vec<_> = (0..1000).map(|_| tokio::spawn(slow_head())).collect();
    row("1,000 slow heads", &program, short, None).await?;
    let started = Instant::now();
    let page = fetch("/").await?;
    println!("the page during slow heads: {} bytes in {:?}", page.len(), started.elapsed());
    slow.iter().for_each(tokio::task::JoinHandle::abort);
    row("afterwards", &program, short, None).await
}

/// Measures a good client for a time and prints a line.
async fn row(
    name: &str,
    program: &Program,
    long: Duration,
    sent: Option<&AtomicU64>,
) -> Fallible<()> {
    let before = program.memory();
    let earlier = sent.map_or(0, |sent| sent.load(Relaxed));
    let (times, halfway) = tokio::join!(good_client(long), async {
        sleep(long / 2).await;
        program.memory()
    });
    let mut times = times?;
    times.sort_unstable();
    let at = |part: f64| {
        let index = ((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1));
        times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    };
    let rate = sent.map(|sent| (sent.load(Relaxed) - earlier) as f64 / long.as_secs_f64());
    let rate = rate.map_or(String::new(), |rate| format!("  ({rate:.0} messages/s sent)"));
    println!(
        "{name:25} {:7} {:8.2} {:8.2} {:8.2}   {before:.0} → {halfway:.0} → {:.0}{rate}",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0),
        program.memory()
    );
    Ok(())
}

async fn connect() -> Fallible<Socket> {
    let mut request = format!("ws://127.0.0.1:{PORT}/ws").into_client_request()?;
    request.headers_mut().insert("origin", format!("http://127.0.0.1:{PORT}").parse()?);
    let (mut socket, _) = connect_async(request).await?;
    socket.send(Message::text(r#"{"type":"hello","protocol":1}"#)).await?;
    Ok(socket)
}

/// Asks twenty times a second; the times to the answers.
async fn good_client(long: Duration) -> Fallible<Vec<Duration>> {
    let mut socket = connect().await?;
    let mut times = Vec::new();
    let end = Instant::now() + long;
    let mut ticks = interval(Duration::from_millis(50));
    while Instant::now() < end {
        ticks.tick().await;
        let sent = Instant::now();
        let question = r#"{"type":"preview","node":0,"moves":["e2e4","e7e5","g1f3"]}"#;
        socket.send(Message::text(question)).await?;
        loop {
            let answer = timeout(Duration::from_secs(30), socket.next()).await?;
            match answer.ok_or("the good client was dropped")?? {
                Message::Text(text) if text.contains(r#""type":"preview""#) => break,
                _ => {}
            }
        }
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// A tab that sends 200 messages a second, as far as it may, and reads the answers.
async fn flood(n: u64, sent: Arc<AtomicU64>) {
    let messages = [
        r#"{"type":"move","uci":"e2e4"}"#,
        r#"{"type":"go_to","node":0}"#,
        r#"{"type":"set_engine","on":true,"multipv":3,"threat":false}"#,
        r#"{"type":"type_move","text":"Nf3"}"#,
        r#"{"type":"set_engine","on":false,"multipv":3,"threat":false}"#,
        r#"{"type":"get_pgn"}"#,
        r#"{"type":"load","text":"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 (3... Nf6 4. O-O) 4. Ba4 *"}"#,
        r#"{"type":"set_model","on":true}"#,
        r#"{"type":"paco_new","white":{"kind":"person"},"black":{"kind":"player","level":3}}"#,
        r#"{"type":"paco_act","action":{"lift":"e2"}}"#,
        r#"{"type":"paco_act","action":{"place":"e4"}}"#,
        r#"{"type":"preview","node":0,"moves":["d2d4"]}"#,
    ];
    let Ok(socket) = connect().await else { return };
    let (mut sink, mut stream) = socket.split();
    // In one task: the tab is closed when it is aborted.
    let reading = async { while let Some(Ok(_)) = stream.next().await {} };
    let sending = async {
        let mut ticks = interval(Duration::from_millis(1000 / RATE));
        for message in messages.iter().cycle().skip(n as usize) {
            ticks.tick().await;
            if sink.send(Message::text(*message)).await.is_err() {
                break;
            }
            sent.fetch_add(1, Relaxed);
        }
    };
    tokio::select! {
        () = reading => {}
        () = sending => {}
    }
}

async fn analyse() {
    let Ok(mut socket) = connect().await else { return };
    let engine = r#"{"type":"set_engine","on":true,"multipv":5,"threat":true}"#;
    let _ = socket.send(Message::text(engine)).await;
    while let Some(Ok(_)) = socket.next().await {}
}

/// Invalid messages, over as many sockets as that takes.
async fn malformed(sent: Arc<AtomicU64>) {
    let frames = [
        Message::text("{"),
        Message::text("go infinite"),
        Message::text(r#"{"type":"move","uci":{"a":[1,2,3]}}"#),
        Message::text("[".repeat(30_000)),
        Message::binary(Bytes::from_static(&[0, 159, 146, 150])),
        Message::text("x".repeat(70_000)),
    ];
    let mut count = 0;
    while count < 10_000 {
        let Ok(mut socket) = connect().await else { return };
        for frame in frames.iter().cycle().take(30) {
            if socket.send(frame.clone()).await.is_err() {
                break;
            }
            count += 1;
            sent.fetch_add(1, Relaxed);
        }
    }
}

/// A tab that sends expensive requests and reads nothing.
async fn reads_nothing() {
    let Ok(mut socket) = connect().await else { return };
    let request = Message::text(r#"{"type":"get_attention","layer":0,"head":0}"#);
    while socket.send(request.clone()).await.is_ok() {}
}

/// Uploads of 10 MB to a tab that is not there, one after the other.
async fn large_bodies() {
    let body = vec![b'1'; 10_000_000];
    let head = format!(
        "POST /upload?session=1 HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nOrigin: http://127.0.0.1:{PORT}\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    loop {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", PORT)).await else { return };
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&body).await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}

/// A head of a request that comes byte by byte.
async fn slow_head() {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", PORT)).await else { return };
    let mut ticks = interval(Duration::from_millis(500));
    for byte in b"GET / HTTP/1.1\r\nHost: 127.0.0.1".iter().cycle() {
        ticks.tick().await;
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
    }
}

async fn fetch(path: &str) -> Fallible<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", PORT)).await?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
