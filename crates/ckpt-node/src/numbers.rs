//! Numbers that JavaScript cannot hold.
//!
//! `JSON.parse` rounds whole numbers beyond 2^53 and forgets how a number was written. What comes back unchanged from
//! JavaScript gets the digits back that it had.

use ckpt::document::{Object, Value};

/// Gives numbers that are what they were, as far as JavaScript can tell, the spelling that they had.
pub fn respelled(given: Value, before: &Value) -> Value {
    match (given, before) {
        (Value::Number(given), Value::Number(before)) => {
            let is_same = is_same(given.raw(), before.raw());
            Value::Number(if is_same { before.clone() } else { given })
        }
        (Value::Object(given), Value::Object(before)) => {
            let mut members = Object::new();
            for (name, value) in given.iter() {
                let value = value.clone();
                let value = match before.get(name) {
                    Some(before) => respelled(value, before),
                    None => value,
                };
                members.set(name, value);
            }
            Value::Object(members)
        }
        (Value::Array(given), Value::Array(before)) => items(given, before),
        (given, _) => given,
    }
}

/// Items at the beginning and at the end that are what they were. In between they may have been moved about, and nobody
/// can tell which was which; but if there are as many, each is taken for the one in its place.
fn items(given: Vec<Value>, before: &[Value]) -> Value {
    let length = given.len();
    let same = |at: usize, then: usize| looks_same(&given[at], &before[then]);
    let (head, tail) = match length == before.len() {
        true => (length, 0),
        false => {
            let most = length.min(before.len());
            let head = (0..most).take_while(|at| same(*at, *at)).count();
            let tail = (1..=most - head)
                .take_while(|back| same(length - back, before.len() - back))
                .count();
            (head, tail)
        }
    };
    let respell = |(at, value): (usize, Value)| match at {
        at if at < head => respelled(value, &before[at]),
        at if at + tail >= length => respelled(value, &before[before.len() - (length - at)]),
        _ => value,
    };
    Value::Array(given.into_iter().enumerate().map(respell).collect())
}

/// Whether JavaScript cannot tell two values from each other.
fn looks_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same(one.raw(), other.raw()),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| looks_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| looks_same(one, other)))
        }
        (one, other) => one == other,
    }
}

fn is_same(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
