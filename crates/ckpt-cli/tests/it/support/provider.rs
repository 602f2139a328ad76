//! A real server on this machine that plays a service, and a repository that may contact it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ckpt::document::Document;
use ckpt::integrations::Integrations;
use ckpt::workspace::{Options, Permission};
use ckpt::{Environment as Surroundings, Workspace};
use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::support::environment::Environment;

/// What a server does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Answers with a status, headers and a body.
    Answer(u16, &'static str, String),
    /// Begins to answer, and cuts the connection.
    Cut,
    /// Answers after this long.
    Late(Duration, String),
}

impl Reply {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, "", body.into())
    }

    fn write(self, stream: &mut impl Write) -> std::io::Result<()> {
        let (status, headers, body) = match self {
            Self::Answer(status, headers, body) => (status, headers, body),
            Self::Late(pause, body) => {
                thread::sleep(pause);
                (200, "", body)
            }
            Self::Cut => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"depl")?;
                return stream.flush();
            }
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
        )?;
        stream.flush()
    }
}

/// A server, until it is dropped.
pub(crate) struct Provider {
    address: SocketAddr,
    scheme: &'static str,
    /// The certificate that it shows, as PEM.
    pub(crate) certificate: Option<String>,
    heard: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

/// What a server answers to a request, which has a number from 0.
type Play = dyn Fn(&str, usize) -> Reply + Send;

impl Provider {
    /// Plays a service without encryption.
    pub(crate) fn playing(play: impl Fn(&str, usize) -> Reply + Send + 'static) -> Self {
        Self::start(None, Box::new(play))
    }

    /// Plays a service with a certificate that it made itself.
    pub(crate) fn encrypted(play: impl Fn(&str, usize) -> Reply + Send + 'static) -> Self {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key);
        let config = Arc::new(config.unwrap());
        let mut provider = Self::start(Some(config), Box::new(play));
        provider.certificate = Some(made.cert.pem());
        provider
    }

    fn start(config: Option<Arc<ServerConfig>>, play: Box<Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let is_over: Arc<AtomicBool> = Arc::default();
        let scheme = match config {
            Some(_) => "https",
            None => "http",
        };
        let (log, end) = (Arc::clone(&heard), Arc::clone(&is_over));
        let serving = thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                stream
                    .set_read_timeout(Some(Duration::from_secs(10)))
                    .unwrap();
                // A client that goes away early is its own affair.
                let _ = match &config {
                    Some(config) => {
                        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                        serve(StreamOwned::new(connection, stream), &log, &play)
                    }
                    None => serve(stream, &log, &play),
                };
            }
        });
        Self {
            address,
            scheme,
            certificate: None,
            heard,
            is_over,
            serving: Some(serving),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// The requests so far, each with its head.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

fn serve(
    mut stream: impl Read + Write,
    log: &Mutex<Vec<String>>,
    play: &Play,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let number = {
        let mut heard = log.lock().unwrap();
        heard.push(head.clone());
        heard.len() - 1
    };
    let path = head.split(' ').nth(1).unwrap_or_default();
    play(path, number).write(&mut stream)
}

/// A repository with a checkpoint `ship/login`, one commit, and these settings of integrations.
pub(crate) fn integrated(settings: &Value) -> Environment {
    let environment = Environment::new().with_variable("TOKEN_OF_TEST", "t0ken");
    environment.write(".gitignore", "/.claude/state\n");
    environment.write(".claude/config/integrations.json", settings.to_string());
    environment.commit("Settings");
    environment.ckpt(&["start", "ship", "login"]).exits(0);
    environment
}

/// Writes the user's own settings.
pub(crate) fn set_for_user(environment: &Environment, settings: &Value) {
    let file = environment.user_settings();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, settings.to_string()).unwrap();
}

/// Allows a destination as the user would.
pub(crate) fn allow(environment: &Environment, name: &str) {
    let text = environment.read(".claude/config/integrations.json");
    let (integrations, findings) = Integrations::read(&Document::parse(text).unwrap());
    assert_eq!(findings, []);
    let surroundings = Surroundings::default();
    let workspace = Workspace::open(environment.root(), &surroundings, Options::default());
    let permission = Permission {
        destination: integrations.destination(name).unwrap(),
        is_private: false,
        allowed_at: "2026-11-19T10:00:00.000Z".to_owned(),
    };
    workspace.unwrap().permissions().grant(&permission).unwrap();
}
