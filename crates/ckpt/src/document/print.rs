//! Printing values as text, the way `JSON.stringify` does.

use super::{Object, Value};

/// How containers are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout<'s> {
    /// No spaces at all: `{"a":[1,2]}`.
    Compact,
    /// One line with spaces: `{"a": [1, 2]}`.
    Inline,
    /// One item per line. `newline` ends each line, `unit` is the indentation per level, and `colon` separates a name
    /// from its value.
    Lines {
        newline: &'s str,
        unit: &'s str,
        colon: &'s str,
    },
}

/// The text with 2-space indentation, without a final newline.
#[must_use]
pub fn to_pretty(value: &Value) -> String {
    let layout = Layout::Lines {
        newline: "\n",
        unit: "  ",
        colon: ": ",
    };
    let mut out = String::new();
    print(value, layout, "", &mut out);
    out
}

/// The text on one line, with a space after `:` and `,`.
#[must_use]
pub fn to_inline(value: &Value) -> String {
    let mut out = String::new();
    print(value, Layout::Inline, "", &mut out);
    out
}

pub(super) fn to_compact(value: &Value) -> String {
    let mut out = String::new();
    print(value, Layout::Compact, "", &mut out);
    out
}

/// Prints `value`. `indent` is the indentation of the line it starts on.
pub(super) fn print(value: &Value, layout: Layout<'_>, indent: &str, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.raw()),
        Value::String(text) => escape_into(text, out),
        Value::Array(items) => {
            out.push('[');
            sequence(items.iter(), layout, indent, out, |item, inner, out| {
                print(item, layout, inner, out);
            });
            out.push(']');
        }
        Value::Object(object) => print_object(object, layout, indent, out),
    }
}

fn print_object(object: &Object, layout: Layout<'_>, indent: &str, out: &mut String) {
    out.push('{');
    let colon = match layout {
        Layout::Compact => ":",
        Layout::Inline => ": ",
        Layout::Lines { colon, .. } => colon,
    };
    sequence(
        object.iter(),
        layout,
        indent,
        out,
        |(name, value), inner, out| {
            escape_into(name, out);
            out.push_str(colon);
            print(value, layout, inner, out);
        },
    );
    out.push('}');
}

fn sequence<T>(
    items: impl Iterator<Item = T>,
    layout: Layout<'_>,
    indent: &str,
    out: &mut String,
    write: impl Fn(T, &str, &mut String),
) {
    let inner = match layout {
        Layout::Lines { unit, .. } => format!("{indent}{unit}"),
        _ => String::new(),
    };
    let mut some = false;
    for item in items {
        if some {
            out.push(',');
        }
        match layout {
            Layout::Compact => {}
            Layout::Inline => {
                if some {
                    out.push(' ');
                }
            }
            Layout::Lines { newline, .. } => {
                out.push_str(newline);
                out.push_str(&inner);
            }
        }
        write(item, &inner, out);
        some = true;
    }
    if let (true, Layout::Lines { newline, .. }) = (some, layout) {
        out.push_str(newline);
        out.push_str(indent);
    }
}

/// Prints a string with its quotes, escaping what `JSON.stringify` escapes.
pub fn escape_into(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(text.len() + 2);
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..0x20 => "\\u00",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        out.push_str(short);
        if short == "\\u00" {
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}
