//! Comparisons of token counting.

use std::fs;
use std::process::{Command, Stdio};

use crate::alone::Verb;
use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::Invocation;
use crate::plan_cases::in_path;

/// Prose and code as agents write them. Words repeat, but no two paragraphs are the same.
fn text(size: usize) -> String {
    let mut text = String::new();
    let mut number = 0_u64;
    while text.len() < size {
        number += 1;
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        text += &format!(
            "The parser of module_{mixed:x} reads each file once and keeps the order of its members. It's done in \
             src/module_{mixed:x}/parser.rs, line {number}; what's left is the writer.\n\n\
             ```rust\nfn parse_{number}(input: &str) -> Result<Vec<Token>, ParseError> {{\n    \
             let tokens = Lexer::new(input).collect::<Result<_, _>>()?; // {mixed}\n}}\n```\n\n\
             - Größe geprüft, naïve Fälle: {number} von {mixed}. 日本語のテキストも読める。✅\n"
        );
    }
    text.truncate(text.floor_char_boundary(size));
    text
}

/// Runs the whole command on a summary of 2 KB.
pub(crate) fn tokens(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("tokens")?;
    let file = repository.root().join("summary.md");
    fs::write(&file, text(2_000)).doing("write", &file)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .args(&["tokens", "--counter", "o200k", "summary.md"])
            .printing("summary.md"),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// Compares the function on a megabyte with that of tiktoken in Python.
pub(crate) fn tokens_in_python(stage: &Stage) -> Result<Prepared> {
    let Some(python) = in_path("python3") else {
        return Ok(Prepared::Skipped("python3 was not found"));
    };
    let mut import = Command::new(&python);
    let import = import.args(["-c", "import tiktoken"]).stderr(Stdio::null());
    if !import.status().is_ok_and(|status| status.success()) {
        return Ok(Prepared::Skipped("tiktoken for Python was not found"));
    }
    let file = stage.scratch.path().join("text.md");
    fs::write(&file, text(1_000_000)).doing("write", &file)?;
    let table = stage.sources.join("../crates/ckpt-tokens/tables/o200k.bin");
    let script = stage.sources.join("baseline/count_tokens.py");
    let python = Invocation::new(&python).arg(script).arg(table);
    Ok(Prepared::Pair {
        ours: Verb::CountTokens
            .invocation(file.clone())?
            .printing("tokens"),
        floor: python.arg(file).timing_itself().printing("tokens"),
    })
}
