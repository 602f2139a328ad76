//! What JSON says to a person: its texts, without the names of members.

use crate::document::{Kind, Node};
use crate::time::Timestamp;

/// Collects the texts in a tree.
pub(super) fn in_tree(value: Node<'_>, said: &mut Vec<String>) {
    match value.kind() {
        Kind::Array => value.items().for_each(|item| in_tree(item, said)),
        Kind::Object => {
            for (_, member) in value.members() {
                in_tree(member, said);
            }
        }
        _ => said.extend(
            value
                .as_str()
                .map(Into::into)
                .filter(|text: &String| is_said(text)),
        ),
    }
}

/// Collects the texts in a piece of JSON, which may begin and end anywhere, even in the middle of a text.
pub(super) fn in_json(piece: &str, said: &mut Vec<String>) {
    let quotes = quotes(piece);
    let mut from = 0;
    for quote in quotes.iter().copied().chain([piece.len()]) {
        let text = &piece[from..quote];
        let after = piece[quote..].trim_start_matches('"').trim_start();
        let is_name = quote < piece.len() && after.starts_with(':');
        if !is_name && is_said(text) {
            said.push(text.replace("\\\"", "\""));
        }
        from = (quote + 1).min(piece.len());
    }
}

/// Where texts begin and end: the quotes that are not part of one.
fn quotes(piece: &str) -> Vec<usize> {
    let mut is_escaped = false;
    let mut quotes = Vec::new();
    for (at, byte) in piece.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => quotes.push(at),
            b'\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            _ => {}
        }
        is_escaped = false;
    }
    quotes
}

/// Whether a person would say it. Between texts there may be other values.
fn is_said(text: &str) -> bool {
    let words = text.trim_matches(|c: char| !c.is_alphabetic());
    !matches!(words, "" | "true" | "false" | "null")
        && !text.starts_with("sha256:")
        && Timestamp::parse(text).is_none()
}

#[cfg(test)]
mod tests;
