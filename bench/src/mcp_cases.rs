//! Comparisons of the MCP server.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ckpt::resume::{BUDGET, brief};
use ckpt::workspace::Depth;
use ckpt::{Environment, Options, Workspace};

use crate::alone::Verb;
use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Failure, Result};
use crate::measure::Invocation;

/// How often each side asks where the work stands.
const CALLS: usize = 20;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

const RESUME: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resume","arguments":{}}}"#;

/// A client starts the server, asks where the work stands, and goes away.
pub(crate) fn start(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("mcp-start")?;
    repository.start_checkpoint(&stage.binary)?;
    let requests = stage.scratch.path().join("mcp-start.jsonl");
    fs::write(&requests, format!("{HELLO}{RESUME}\n")).doing("write", &requests)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .arg("mcp")
            .reading(requests)
            .printing("Continue phase implementation"),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// A server that runs already is asked where the work stands, compared with the same call of the library.
pub(crate) fn resume(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("mcp-resume")?;
    repository.start_checkpoint(&stage.binary)?;
    let sides = stage.scratch.path().join("mcp-resume.txt");
    let text = format!(
        "{}\n{}\n",
        stage.binary.display(),
        repository.root().display()
    );
    fs::write(&sides, text).doing("write", &sides)?;
    let evidence = "Continue phase implementation";
    Ok(Prepared::Pair {
        ours: Verb::AskServer
            .invocation(sides.clone())?
            .printing(evidence),
        floor: Verb::AskLibrary.invocation(sides)?.printing(evidence),
    })
}

/// The binary and the repository that [`resume`] wrote down.
fn sides(file: &Path) -> Result<(PathBuf, PathBuf)> {
    let text = fs::read_to_string(file).doing("read", file)?;
    let mut lines = text.lines().map(PathBuf::from);
    lines
        .next()
        .zip(lines.next())
        .ok_or_else(|| Failure::new(format!("{} has no two lines", file.display())))
}

/// Asks the library. Returns what it said last.
pub(crate) fn ask_library(file: &Path) -> Result<impl FnOnce() -> Result<String> + use<>> {
    let (_, root) = sides(file)?;
    Ok(move || {
        let mut text = String::new();
        for _ in 0..CALLS {
            let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
            let workspace = Workspace::open(&root, &Environment::default(), Options::default());
            let workspace = workspace.map_err(|error| failed(&error))?;
            let facts = workspace.facts(Depth::Full);
            text = brief(&facts.map_err(|error| failed(&error))?, BUDGET).text;
        }
        Ok(text)
    })
}

/// Asks a server that has been started before. Returns what it said last.
pub(crate) fn ask_server(file: &Path) -> Result<impl FnOnce() -> Result<String> + use<>> {
    let (binary, root) = sides(file)?;
    let mut server = Command::new(&binary)
        .arg("-C")
        .arg(root)
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .doing("run", &binary)?;
    let mut requests = server.stdin.take().expect("it is a pipe");
    let mut answers = BufReader::new(server.stdout.take().expect("it is a pipe"));
    let mut line = String::new();
    requests.write_all(HELLO.as_bytes()).doing("ask", &binary)?;
    answers.read_line(&mut line).doing("ask", &binary)?;
    Ok(move || {
        for _ in 0..CALLS {
            writeln!(requests, "{RESUME}").doing("ask", &binary)?;
            line.clear();
            answers.read_line(&mut line).doing("ask", &binary)?;
        }
        drop(requests);
        let _ = server.wait();
        Ok(line)
    })
}
