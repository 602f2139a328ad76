//! A server on this machine that plays a service on the network: it answers as a test says, and remembers what it heard.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

/// A request that arrived whole.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    /// The headers, with names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// How a request is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// With a status, further headers and a body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// With the beginning of an answer; then the connection is cut.
    Cut,
    /// Not at all, for this long.
    Silence(Duration),
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), String::new())
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::Answer(200, Vec::new(), value.to_string())
    }
}

/// Decides how the n-th request is answered, from 0.
type Decide = dyn FnMut(usize, &Heard) -> Reply + Send;

/// A server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that answers each request as `decide` says.
    pub(crate) fn new(decide: impl FnMut(usize, &Heard) -> Reply + Send + 'static) -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), decide)
    }

    /// A server that answers each request with this status.
    pub(crate) fn that_says(status: u16) -> Self {
        Self::new(move |_, _| Reply::status(status))
    }

    /// The same at an address where another one was before.
    pub(crate) fn at(
        address: SocketAddr,
        decide: impl FnMut(usize, &Heard) -> Reply + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let mut decide: Box<Decide> = Box::new(decide);
        let (hears, ends) = (heard.clone(), is_over.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(stream) = stream {
                    answer(stream, &hears, &mut decide);
                }
            }
        });
        Self {
            address,
            heard,
            is_over,
            thread: Some(thread),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path on it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it has heard so far.
    pub(crate) fn heard(&self) -> MutexGuard<'_, Vec<Heard>> {
        self.heard.lock().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, heard: &Mutex<Vec<Heard>>, decide: &mut Decide) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let Some(request) = read(&mut stream) else {
        return;
    };
    let reply = {
        let mut heard = heard.lock().unwrap();
        let reply = decide(heard.len(), &request);
        heard.push(request);
        reply
    };
    let written = match reply {
        Reply::Answer(status, headers, body) => {
            let headers: String = headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect();
            let length = body.len();
            format!(
                "HTTP/1.1 {status} Said\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        }
        Reply::Cut => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"begun\":".to_owned(),
        Reply::Silence(time) => {
            thread::sleep(time);
            String::new()
        }
    };
    // Whoever asked may be gone.
    let _ = stream.write_all(written.as_bytes());
}

/// Reads a request; `None` if it is cut off.
fn read(stream: &mut TcpStream) -> Option<Heard> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let mut lines = head.lines();
            let mut words = lines.next()?.split(' ');
            let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
            let headers: BTreeMap<String, String> = lines
                .filter_map(|line| line.split_once(':'))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
                .collect();
            let length = headers.get("content-length");
            let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = &bytes[end + 4..end + 4 + length];
                return Some(Heard {
                    method,
                    path,
                    headers,
                    body: String::from_utf8_lossy(body).into_owned(),
                });
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}
