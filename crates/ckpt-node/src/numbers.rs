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
        // What is larger than any number of JavaScript becomes infinite there, which JSON cannot say.
        (Value::Null, Value::Number(before)) if is_infinite(before.raw()) => {
            Value::Number(before.clone())
        }
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
        (Value::Null, Value::Number(other)) => is_infinite(other.raw()),
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

fn is_infinite(number: &str) -> bool {
    number.parse().is_ok_and(f64::is_infinite)
}

fn is_same(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use ckpt::document::Document;
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Value {
        Document::parse(text).expect("it is JSON").value()
    }

    /// What `JSON.stringify(JSON.parse(text))` makes of the numbers.
    fn through_javascript(value: &Value) -> Value {
        match value {
            Value::Number(number) => {
                let float: f64 = number.raw().parse().expect("it is a number");
                match float.is_finite() {
                    true => self::value(&format!("{float:e}")),
                    false => Value::Null,
                }
            }
            Value::Array(items) => Value::Array(items.iter().map(through_javascript).collect()),
            Value::Object(object) => {
                let members = object.iter();
                Value::Object(
                    members
                        .map(|(name, value)| (name.to_owned(), through_javascript(value)))
                        .collect(),
                )
            }
            other => other.clone(),
        }
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            any::<u128>().prop_map(|number| number.to_string()),
            (any::<i32>(), 0..30_u32)
                .prop_map(|(number, zeros)| format!("{number}.{}", "0".repeat(zeros as usize + 1))),
            (any::<i16>(), -400..400_i32).prop_map(|(number, power)| format!("{number}E{power}")),
        ]
    }

    fn document() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![number(), Just("true".to_owned()), Just("\"1\"".to_owned())];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(inner, 0..6).prop_map(|values| {
                    let members = (0..).zip(values);
                    let members: Vec<String> = members
                        .map(|(at, value): (usize, _)| format!("\"m{at}\":{value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_comes_back_from_javascript_unchanged_is_what_it_was(text in document()) {
            let before = value(&text);
            let back = respelled(through_javascript(&before), &before);
            prop_assert_eq!(back.to_compact(), before.to_compact());
        }

        #[test]
        fn what_was_added_or_removed_in_a_list_costs_the_others_nothing(
            items in prop::collection::vec(number(), 0..8),
            at in any::<prop::sample::Index>(),
            removed in 0..3_usize,
            added in prop::collection::vec(Just("\"new\"".to_owned()), 0..3),
        ) {
            let before = value(&format!("[{}]", items.join(",")));
            let mut edited = items.clone();
            let start = at.index(items.len() + 1);
            let end = items.len().min(start + removed);
            edited.splice(start..end, added);
            let wanted = value(&format!("[{}]", edited.join(",")));
            let back = respelled(through_javascript(&wanted), &before);
            // Numbers that JavaScript takes for each other may stand in for each other.
            let same = through_javascript(&wanted) == through_javascript(&back);
            prop_assert!(same);
            let distinct = items.iter().enumerate().all(|(one, first)| {
                items.iter().skip(one + 1).all(|second| !is_same(first, second))
            });
            if distinct {
                prop_assert_eq!(back.to_compact(), wanted.to_compact());
            }
        }
    }

    #[test]
    fn what_was_changed_is_what_it_was_changed_to() {
        let before = value(r#"{"a": 9007199254740993, "b": 1.0, "c": [1e2]}"#);
        let given = value(r#"{"a": 9007199254740994, "b": 2, "c": [100, 5]}"#);
        let back = respelled(given, &before);
        assert_eq!(
            back.to_compact(),
            r#"{"a":9007199254740994,"b":2,"c":[1e2,5]}"#
        );
    }
}
