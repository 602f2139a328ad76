//! A server on this machine that plays a service on the network: it answers as a test says, and remembers what it heard.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
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
    /// With success and this body, after this long.
    Late(Duration, String),
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), String::new())
    }

    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, Vec::new(), body.into())
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::ok(value.to_string())
    }
}

/// Decides how a request is answered, which has a number from 0.
type Decide = dyn FnMut(&Heard, usize) -> Reply + Send;

/// A server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    /// The certificate that it shows, as PEM.
    pub(crate) certificate: Option<String>,
    scheme: &'static str,
    heard: Arc<Mutex<Vec<Heard>>>,
    connections: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that answers each request as `decide` says.
    pub(crate) fn new(decide: impl FnMut(&Heard, usize) -> Reply + Send + 'static) -> Self {
        Self::start(None, Box::new(decide))
    }

    /// A server that answers each request with this status.
    pub(crate) fn that_says(status: u16) -> Self {
        Self::new(move |_, _| Reply::status(status))
    }

    /// A server with a certificate that it made itself.
    pub(crate) fn encrypted(decide: impl FnMut(&Heard, usize) -> Reply + Send + 'static) -> Self {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key);
        let mut server = Self::start(Some(Arc::new(config.unwrap())), Box::new(decide));
        server.certificate = Some(made.cert.pem());
        server
    }

    fn start(config: Option<Arc<ServerConfig>>, mut decide: Box<Decide>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(AtomicUsize::new(0));
        let scheme = match config {
            Some(_) => "https",
            None => "http",
        };
        let (hears, ends, counts) = (heard.clone(), is_over.clone(), connections.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                counts.fetch_add(1, Ordering::SeqCst);
                let Ok(stream) = stream else { continue };
                let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
                match &config {
                    Some(config) => {
                        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                        let stream = StreamOwned::new(connection, stream);
                        answer(stream, &hears, &mut decide);
                    }
                    None => answer(stream, &hears, &mut decide),
                }
            }
        });
        Self {
            address,
            certificate: None,
            scheme,
            heard,
            connections,
            is_over,
            thread: Some(thread),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path on it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// How often somebody has connected, whether or not they said anything.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
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

fn answer(mut stream: impl Read + Write, heard: &Mutex<Vec<Heard>>, decide: &mut Decide) {
    let Some(request) = read(&mut stream) else {
        return;
    };
    let reply = {
        let mut heard = heard.lock().unwrap();
        let reply = decide(&request, heard.len());
        heard.push(request);
        reply
    };
    let written = match reply {
        Reply::Answer(status, headers, body) => written(status, &headers, &body),
        Reply::Late(pause, body) => {
            thread::sleep(pause);
            written(200, &[], &body)
        }
        Reply::Cut => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"begun\":".to_owned(),
        Reply::Silence(time) => {
            thread::sleep(time);
            String::new()
        }
    };
    // Whoever asked may be gone.
    let _ = stream.write_all(written.as_bytes());
    let _ = stream.flush();
}

fn written(status: u16, headers: &[(&str, String)], body: &str) -> String {
    let headers = headers.iter();
    let headers: String = headers
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Said\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// Reads a request; `None` if it is cut off.
fn read(stream: &mut impl Read) -> Option<Heard> {
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
