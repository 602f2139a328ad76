//! A client of `ckpt mcp`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};

/// How long any answer may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that has introduced itself.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    requests: u64,
    /// What the server said without being asked.
    said: Vec<Value>,
    /// The roots that the client has, if it has any.
    roots: Option<Value>,
}

impl Client {
    pub(crate) fn new(environment: &Environment) -> Self {
        let mut client = Self::without_greeting(environment.command(CKPT).arg("mcp"), None);
        client.greet();
        client
    }

    /// A client with roots.
    pub(crate) fn with_roots(command: &mut Command, roots: &[&str]) -> Self {
        let roots = roots.iter().map(|uri| json!({ "uri": uri }));
        let roots = json!({ "roots": roots.collect::<Vec<_>>() });
        let mut client = Self::without_greeting(command, Some(roots));
        client.greet();
        client
    }

    pub(crate) fn without_greeting(command: &mut Command, roots: Option<Value>) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (input, output) = (server.stdin.take(), server.stdout.take().unwrap());
        let (teller, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if teller.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            server,
            input,
            lines,
            requests: 0,
            said: Vec::new(),
            roots,
        }
    }

    fn greet(&mut self) {
        let capabilities = match &self.roots {
            Some(_) => json!({ "roots": {} }),
            None => json!({}),
        };
        let greeting = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.request("initialize", &greeting).unwrap();
        self.notify("notifications/initialized", &json!({}));
    }

    /// Sends a line as it is. Returns whether somebody reads it.
    pub(crate) fn send(&mut self, line: &[u8]) -> bool {
        let input = self.input.as_mut().unwrap();
        let sent = input.write_all(line).and_then(|()| input.write_all(b"\n"));
        sent.and_then(|()| input.flush()).is_ok()
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
        self.send(message.to_string().as_bytes());
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters });
        assert!(
            self.send(message.to_string().as_bytes()),
            "the server has gone"
        );
        id
    }

    /// The result of a request, or its error.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            let mut message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(message["error"].take()),
                };
            }
            self.said.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> Result<Value, Value> {
        let id = self.ask(method, parameters);
        self.answer(id)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let parameters = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", &parameters).unwrap()
    }

    /// The structured result of a tool that must succeed.
    pub(crate) fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        result["structuredContent"].take()
    }

    /// The message of a tool that must fail.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The next notification of this kind.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        loop {
            let found = self.said.iter().position(|said| said["method"] == method);
            if let Some(found) = found {
                return self.said.remove(found)["params"].take();
            }
            let message = self.next();
            self.said.push(message);
        }
    }

    /// What the server says next. Questions about roots are answered at once.
    fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "roots/list" {
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": self.roots });
            self.send(answer.to_string().as_bytes());
            return self.next();
        }
        message
    }

    /// Tells the server to end, and waits until it has.
    pub(crate) fn end(&mut self) {
        let id = self.server.id().to_string();
        Command::new("kill").arg(&id).status().unwrap();
        self.server.wait().unwrap();
    }

    /// Says goodbye, and returns the exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        self.input = None;
        self.server.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
