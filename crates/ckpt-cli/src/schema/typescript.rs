//! Converts JSON Schema to TypeScript declarations, as far as our schemas need it.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Declares the root of a schema and everything it refers to.
pub(super) fn declarations(schema: &Value) -> String {
    let mut text = String::new();
    let title = schema["title"].as_str().unwrap_or("Root");
    declare(&mut text, title, schema);
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        text.push('\n');
        declare(&mut text, name, definition);
    }
    text
}

fn declare(text: &mut String, name: &str, schema: &Value) {
    comment(text, "", schema);
    let is_plain = schema.get("properties").is_some() && alternatives(schema).is_none();
    let _ = match is_plain {
        true => writeln!(text, "export interface {name} {}", written(schema, 0)),
        false => writeln!(text, "export type {name} = {};", written(schema, 0)),
    };
}

fn comment(text: &mut String, indent: &str, schema: &Value) {
    if let Some(about) = schema["description"].as_str() {
        let about = about.replace('\n', " ").replace("*/", "* /");
        let _ = writeln!(text, "{indent}/** {about} */");
    }
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let all = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    all.and_then(Value::as_array)
}

/// The TypeScript type of a schema.
fn written(schema: &Value, depth: usize) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or(name).to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(words) = schema["enum"].as_array() {
        return union(words.iter().map(ToString::to_string));
    }
    let own = match &schema["type"] {
        Value::String(kind) => Some(of_kind(kind, schema, depth)),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            Some(union(kinds.map(|kind| of_kind(kind, schema, depth))))
        }
        _ => None,
    };
    let others = alternatives(schema);
    let others = others.map(|others| union(others.iter().map(|other| written(other, depth))));
    match (own, others) {
        (Some(own), Some(others)) => format!("{own} & ({others})"),
        (Some(own), None) => own,
        (None, Some(others)) => others,
        (None, None) => "unknown".to_owned(),
    }
}

fn of_kind(kind: &str, schema: &Value, depth: usize) -> String {
    match kind {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => match written(&schema["items"], depth) {
            item if item.contains(" | ") || item.contains(" & ") => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        _ => object(schema, depth),
    }
}

fn object(schema: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        let values = schema.get("additionalProperties");
        let values = values.map_or_else(|| "unknown".to_owned(), |values| written(values, depth));
        return format!("{{ [name: string]: {values} }}");
    };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    members(properties, &required, depth)
}

fn members(properties: &Map<String, Value>, required: &[&str], depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let mut text = String::from("{\n");
    for (name, property) in properties {
        comment(&mut text, &indent, property);
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = if is_word {
            name.clone()
        } else {
            format!("{name:?}")
        };
        let _ = writeln!(
            text,
            "{indent}{name}{mark}: {};",
            written(property, depth + 1)
        );
    }
    text + &"  ".repeat(depth) + "}"
}

fn union(types: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for one in types {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all.join(" | ")
}
