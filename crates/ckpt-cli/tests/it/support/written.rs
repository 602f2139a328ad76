//! Compares what was written with the schemas: everything that our own operations write is described in them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::support::schema::schema;

/// The schemas without room for members that they do not name.
struct Closed {
    command: Validator,
    pipeline: Validator,
    plan: Validator,
    recovery: Validator,
    history: Validator,
}

static CLOSED: LazyLock<Closed> = LazyLock::new(|| {
    let validator = |kind: &str| {
        let mut schema = schema(kind);
        close(&mut schema);
        if kind == "history" {
            // The members of an event are not listed.
            schema
                .as_object_mut()
                .unwrap()
                .remove("additionalProperties");
        }
        jsonschema::draft202012::new(&schema).unwrap()
    };
    Closed {
        command: validator("command"),
        pipeline: validator("pipeline"),
        plan: validator("plan-state"),
        recovery: validator("recovery"),
        history: validator("history"),
    }
});

fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") {
                let none = members.entry("additionalProperties");
                none.or_insert(Value::Bool(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// What the schemas do not describe, in the files of all checkpoints below a directory.
pub(crate) fn strangers(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in files(directory) {
        let name = file.to_string_lossy().into_owned();
        let Some(validator) = validator_of(&name) else {
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let documents: Vec<&str> = match name.ends_with(".jsonl") {
            true => text.lines().collect(),
            false => vec![text.as_str()],
        };
        for document in documents {
            let Ok(instance) = serde_json::from_str::<Value>(document) else {
                continue;
            };
            let errors = validator.iter_errors(&instance);
            found.extend(errors.map(|error| format!("{name}{}: {error}", error.instance_path())));
        }
    }
    found
}

fn validator_of(file: &str) -> Option<&'static Validator> {
    let is_below = |folder: &str| file.contains(folder);
    match () {
        () if file.contains(".corrupt-") => None,
        () if is_below("/.claude/state/history/")
            || file.ends_with("/.checkpoint/history.jsonl") =>
        {
            Some(&CLOSED.history)
        }
        () if is_below("/build-pipeline/checkpoints/") && file.ends_with(".json") => {
            Some(&CLOSED.pipeline)
        }
        () if file.ends_with("/.checkpoint/state.json") => Some(&CLOSED.plan),
        () if file.ends_with("/.checkpoint/recovery.json") => Some(&CLOSED.recovery),
        () => {
            let (_, below) = file.split_once("/.claude/state/")?;
            let is_checkpoint = below.ends_with(".json") && !below.contains('/');
            is_checkpoint.then_some(&CLOSED.command)
        }
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => {
                    directories.push(entry.path());
                }
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}
