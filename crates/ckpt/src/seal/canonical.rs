//! The canonical form of values that seals are computed over.
//!
//! Member order, whitespace, escapes, repeated names and the spelling of numbers are not part of a value, so they are
//! not part of the form. Every value is written with its kind and length, so no two values have the same form.

use std::borrow::Cow;

use hmac::Mac;

use super::key::Authenticator;
use crate::document::{Kind, Tree};

/// Whole numbers below this mean the same to every JSON reader.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn feed_members<'t, T: Tree<'t>>(
    mac: &mut Authenticator,
    mut members: Vec<(Cow<'t, str>, T)>,
) {
    members.sort_unstable_by(|(one, _), (two, _)| one.cmp(two));
    begin(mac, b'o', members.len());
    for (name, value) in members {
        text(mac, &name);
        feed(mac, value);
    }
}

fn feed<'t, T: Tree<'t>>(mac: &mut Authenticator, value: T) {
    match value.kind() {
        Kind::Null => mac.update(b"n"),
        Kind::True => mac.update(b"t"),
        Kind::False => mac.update(b"f"),
        Kind::Number => spelled(mac, value.as_number().unwrap_or_default()),
        Kind::String => text(mac, &value.as_str().unwrap_or_default()),
        Kind::Array => {
            let items: Vec<T> = value.items().collect();
            begin(mac, b'a', items.len());
            for item in items {
                feed(mac, item);
            }
        }
        Kind::Object => feed_members(mac, value.members()),
    }
}

fn begin(mac: &mut Authenticator, tag: u8, length: usize) {
    mac.update(&[tag]);
    mac.update(&(length as u64).to_be_bytes());
}

fn text(mac: &mut Authenticator, text: &str) {
    begin(mac, b's', text.len());
    mac.update(text.as_bytes());
}

/// `1`, `1.0` and `1e0` are the same number. Beyond what a float holds exactly, the digits as written count.
fn spelled(mac: &mut Authenticator, raw: &str) {
    let number = raw.parse::<f64>().ok();
    let spelling = match number.filter(|number| number.abs() < EXACT) {
        Some(number) => format!("{:?}", number + 0.0),
        None => raw.to_owned(),
    };
    begin(mac, b'd', spelling.len());
    mac.update(spelling.as_bytes());
}
