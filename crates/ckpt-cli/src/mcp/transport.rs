//! Messages on standard input and output, one a line.
//!
//! Every request gets an answer, also one that cannot be read: a client that gets none waits for ever.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, watch};

/// The longest message, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// How much of a message that is too long is kept, to find out which request it is.
const KEPT: usize = 64 * 1024;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMETERS: i32 = -32602;

/// A client on the other end of two streams.
pub(super) struct Streams<R, W> {
    input: BufReader<R>,
    /// The line that is being read. A read may be given up in the middle, and goes on later.
    line: Vec<u8>,
    is_too_long: bool,
    output: Arc<Mutex<W>>,
    /// Told when the client has gone.
    closing: watch::Sender<bool>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Streams<R, W> {
    pub(super) fn new(input: R, output: W, closing: watch::Sender<bool>) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            output: Arc::new(Mutex::new(output)),
            closing,
        }
    }

    /// Reads a line into `self.line`. Returns whether there is one.
    async fn read_line(&mut self) -> bool {
        loop {
            let Ok(available) = self.input.fill_buf().await else {
                return false;
            };
            if available.is_empty() {
                return false;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(available.len(), |end| end + 1);
            self.is_too_long |= self.line.len() + length > LONGEST;
            if !self.is_too_long {
                self.line.extend_from_slice(&available[..length]);
            }
            self.input.consume(length);
            if end.is_some() {
                return true;
            }
        }
    }
}

/// Answers a request that cannot be read.
async fn answer<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    id: Value,
    (code, message): (i32, String),
) {
    let error = json!({ "code": code, "message": message });
    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    let _ = write(output, answer.to_string().into_bytes()).await;
}

async fn write<W: AsyncWrite + Unpin>(output: &Mutex<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer>
    for Streams<R, W>
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, serde_json::to_vec(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.read_line().await {
            let mut line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.is_too_long) {
                line.truncate(KEPT);
                let reason = format!("a message has at most {LONGEST} bytes");
                answer(&self.output, id_in(&line), (INVALID_REQUEST, reason)).await;
                continue;
            }
            match Read::of(line.trim_ascii()) {
                Read::Message(message) => return Some(*message),
                Read::Nothing => {}
                Read::Wrong(id, error) => answer(&self.output, id, error).await,
            }
        }
        let _ = self.closing.send(true);
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// What a line is.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that wants an answer.
    Nothing,
    /// A request that cannot be read: its id, and the error.
    Wrong(Value, (i32, String)),
}

impl Read {
    fn of(line: &[u8]) -> Self {
        if line.is_empty() {
            return Self::Nothing;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            return Self::Message(Box::new(message));
        }
        let value = match serde_json::from_slice::<Value>(line) {
            Ok(value) => value,
            Err(error) => match serde_json::from_slice(&with_whole_characters(line)) {
                Ok(value) => value,
                Err(_) => return Self::Wrong(id_in(line), (PARSE_ERROR, error.to_string())),
            },
        };
        let id = value.get("id").cloned().unwrap_or_default();
        let is_call = value.get("method").is_some_and(Value::is_string);
        if let Ok(message) = serde_json::from_value(value) {
            return Self::Message(Box::new(message));
        }
        match (is_call, id.is_null()) {
            // A notification that nobody understands.
            (true, true) => Self::Nothing,
            (true, false) => {
                let reason = "the parameters are not as the protocol has them";
                Self::Wrong(id, (INVALID_PARAMETERS, reason.to_owned()))
            }
            (false, _) => {
                let reason = "this is no message of the protocol";
                Self::Wrong(id, (INVALID_REQUEST, reason.to_owned()))
            }
        }
    }
}

/// The line with each half of a surrogate pair replaced. JavaScript writes such halves, and no other parser reads them.
fn with_whole_characters(line: &[u8]) -> Vec<u8> {
    let unit = |at: usize| -> Option<u16> {
        let escape = line
            .get(at..at + 6)
            .filter(|escape| escape.starts_with(b"\\u"))?;
        u16::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
    };
    let mut whole = Vec::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        let (length, is_half) = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            // A backslash and what it escapes, or a byte of its own.
            _ if line[at] == b'\\' => (2, false),
            _ => (1, false),
        };
        let end = (at + length).min(line.len());
        match is_half {
            true => whole.extend_from_slice(b"\\ufffd"),
            false => whole.extend_from_slice(&line[at..end]),
        }
        at = end;
    }
    whole
}

/// The id of a request that cannot be parsed as a whole; null if there is none.
fn id_in(line: &[u8]) -> Value {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = end_of_string(line, at);
                let after = line[end..].trim_ascii_start();
                if depth == 1 && &line[at..end] == b"\"id\"" && after.starts_with(b":") {
                    let value = after[1..].trim_ascii_start();
                    let mut values = serde_json::Deserializer::from_slice(value).into_iter();
                    let id: Option<Value> = values.next().and_then(Result::ok);
                    let is_id = |id: &Value| id.is_string() || id.is_number();
                    return id.filter(is_id).unwrap_or_default();
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Value::Null
}

/// Where a string that begins here ends.
fn end_of_string(line: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while at < line.len() {
        match line[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    line.len()
}

#[cfg(test)]
mod tests;
