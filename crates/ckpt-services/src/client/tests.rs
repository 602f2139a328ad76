use std::io::Write;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::*;

/// Answers each connection with these bytes, and returns what it was sent.
fn server(answer: &'static [u8]) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let heard = request_of(&mut stream);
        stream.write_all(answer).expect("written");
        heard
    });
    (address, heard)
}

fn request_of(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let count = stream.read(&mut buffer).expect("read");
        heard.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&heard);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let line = line.to_ascii_lowercase();
                line.strip_prefix("content-length: ")?.parse::<usize>().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text.into_owned();
            }
        }
        if count == 0 {
            return text.into_owned();
        }
    }
}

fn endpoint(text: &str, reach: Reach) -> Endpoint {
    Endpoint::parse(text, reach).expect("an address")
}

fn limits(milliseconds: u64) -> Limits {
    Limits {
        connecting: Duration::from_millis(milliseconds),
        whole: Duration::from_millis(milliseconds),
        body: 16,
    }
}

fn post(address: SocketAddr, body: &[u8]) -> Result<Answer, Trouble> {
    let to = endpoint(&format!("http://{address}/secret-path"), Reach::Private);
    let client = Client::new(Reach::Private, limits(2_000), &Roots::BuiltIn);
    client.send(&Request {
        method: Method::Post,
        to: &to,
        headers: &[("webhook-id", "one".to_owned())],
        body,
    })
}

#[test]
fn a_request_arrives_and_its_answer_is_read() {
    let (address, heard) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let answer = post(address, b"{\"a\":1}").expect("an answer");
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"ok"[..]));
    let heard = heard.join().expect("heard");
    assert!(
        heard.starts_with("POST /secret-path HTTP/1.1\r\n"),
        "{heard}"
    );
    assert!(heard.contains("webhook-id: one\r\n"), "{heard}");
    assert!(heard.contains("user-agent: ckpt/"), "{heard}");
    assert!(heard.ends_with("\r\n\r\n{\"a\":1}"), "{heard}");
}

#[test]
fn every_status_is_an_answer_and_no_redirect_is_followed() {
    let (address, _) = server(
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    );
    let answer = post(address, b"{}").expect("an answer");
    assert_eq!(answer.status, 307);
    assert_eq!(answer.header("location"), Some("http://127.0.0.1:1/"));
    let (address, _) =
        server(b"HTTP/1.1 429 Too Many\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n");
    let answer = post(address, b"{}").expect("an answer");
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (429, Some("3"))
    );
}

#[test]
fn a_long_answer_is_cut() {
    let (address, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789");
    let answer = post(address, b"{}").expect("an answer");
    assert_eq!((answer.body.len(), answer.is_cut), (16, true));
}

#[test]
fn a_connection_that_is_cut_or_silent_is_no_answer() {
    let (address, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    let error = post(address, b"{}").expect_err("no answer");
    assert!(
        matches!(error, Trouble::Broken { .. } | Trouble::Unspeakable { .. }),
        "{error:?}"
    );
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let error = post(listener.local_addr().expect("an address"), b"{}").expect_err("no answer");
    assert!(matches!(error, Trouble::TooLate(_)), "{error:?}");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let error = post(address, b"{}").expect_err("no answer");
    assert!(matches!(error, Trouble::Broken { .. }), "{error:?}");
}

#[test]
fn trouble_repeats_no_path() {
    let (address, _) = server(b"nonsense\r\n\r\n");
    let error = post(address, b"{}").expect_err("no answer");
    assert!(!format!("{error} {error:?}").contains("secret-path"));
}

#[test]
fn a_private_address_is_not_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let client = Client::new(Reach::Public, limits(2_000), &Roots::BuiltIn);
    for host in ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let to = endpoint(&format!("https://{host}:{port}/"), Reach::Public);
        let error = client.send(&Request {
            method: Method::Get,
            to: &to,
            headers: &[],
            body: &[],
        });
        let error = error.expect_err("no answer");
        assert!(
            matches!(error, Trouble::Private { .. }),
            "{host}: {error:?}"
        );
    }
    listener.set_nonblocking(true).expect("set");
    assert!(listener.accept().is_err(), "somebody has connected");
}

/// A name that leads somewhere else each time it is looked up.
#[derive(Debug)]
struct Moving(Mutex<Vec<SocketAddr>>);

impl Resolver for Moving {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        found.push(self.0.lock().expect("alone").remove(0));
        Ok(found)
    }
}

#[test]
fn a_name_that_was_public_and_is_private_now_is_refused() {
    let public = IpAddr::from([192, 0, 3, 1]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let private = listener.local_addr().expect("an address");
    let moving = Moving(Mutex::new(vec![SocketAddr::new(public, 443), private]));
    let guarded = Guarded::new(moving, Reach::Public);
    let uri = Uri::from_static("https://example.com/");
    let config = Config::builder().build();
    let timeout = NextTimeout {
        after: ureq::unversioned::transport::time::Duration::NotHappening,
        reason: ureq::Timeout::Resolve,
        per_read: None,
        per_write: None,
    };
    let first = guarded.resolve(&uri, &config, timeout).expect("public");
    assert_eq!(first[0].ip(), public);
    let second = guarded
        .resolve(&uri, &config, timeout)
        .expect_err("private");
    let trouble = trouble("example.com", second);
    assert_eq!(
        trouble.to_string(),
        "example.com is 127.0.0.1, which is not on the public internet"
    );
}

#[test]
fn only_certificates_that_are_trusted_are_taken() {
    let made = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key);
    let config = Arc::new(config.expect("usable"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serving = thread::spawn(move || {
        let mut heard = 0;
        for _ in 0..2 {
            let (stream, _) = listener.accept().expect("a connection");
            let connection = ServerConnection::new(config.clone()).expect("a server");
            let mut stream = StreamOwned::new(connection, stream);
            let mut buffer = [0; 1024];
            if stream.read(&mut buffer).is_ok_and(|count| count > 0) {
                heard += 1;
                let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
                stream.write_all(answer).expect("written");
            }
        }
        heard
    });
    let to = endpoint(&format!("https://localhost:{port}/"), Reach::Private);
    let ask = |roots: &Roots| {
        let client = Client::new(Reach::Private, limits(5_000), roots);
        client.send(&Request {
            method: Method::Get,
            to: &to,
            headers: &[],
            body: &[],
        })
    };
    let error = ask(&Roots::BuiltIn).expect_err("nobody vouches for it");
    assert!(matches!(error, Trouble::Untrusted { .. }), "{error:?}");
    let roots = Roots::read(made.cert.pem().as_bytes()).expect("certificates");
    assert_eq!(ask(&roots).expect("an answer").status, 204);
    assert_eq!(serving.join().expect("served"), 1);
    assert!(Roots::read(b"nothing").is_err());
}

#[test]
fn a_secret_that_a_service_repeats_is_hidden() {
    let (address, _) = server(b"HTTP/1.1 400 No\r\nContent-Length: 15\r\n\r\nbad t0p! (t0p!)");
    let mut answer = post(address, b"{}").expect("an answer");
    answer.hide(&Secret::new("t0p!"));
    assert_eq!(answer.body, b"bad **** (****)");
    answer.hide(&Secret::new(""));
}
