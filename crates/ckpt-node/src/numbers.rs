//! Preserves numbers that JavaScript cannot represent.
//!
//! `JSON.parse` rounds integers beyond 2^53 and forgets how a number was written. A number that returns in the same
//! place, with the value that JavaScript rounded it to, gets its original spelling back.

use ckpt::document::{Object, Value};

/// Gives the numbers of `given` the spelling that they have in `before`, if there is a number at the same path that
/// equals it in JavaScript.
pub fn respelled(given: Value, before: &Value) -> Value {
    match (given, before) {
        (Value::Number(given), Value::Number(before)) if is_same(given.raw(), before.raw()) => {
            Value::Number(before.clone())
        }
        // JavaScript reads it as infinity, and writes infinity as null.
        (Value::Null, Value::Number(before)) if is_infinite(before.raw()) => {
            Value::Number(before.clone())
        }
        (Value::Object(given), Value::Object(before)) => {
            let members = given.iter().map(|(name, value)| {
                let value = respelled_at(value.clone(), before.get(name));
                (name.to_owned(), value)
            });
            Value::Object(members.collect::<Object>())
        }
        (Value::Array(given), Value::Array(before)) => {
            let items = given.into_iter().enumerate();
            let items = items.map(|(at, value)| respelled_at(value, before.get(at)));
            Value::Array(items.collect())
        }
        (given, _) => given,
    }
}

fn respelled_at(given: Value, before: Option<&Value>) -> Value {
    match before {
        Some(before) => respelled(given, before),
        None => given,
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

    /// The numbers after `JSON.stringify(JSON.parse(text))`.
    fn through_javascript(value: &Value) -> Value {
        match value {
            Value::Number(number) => {
                let float: f64 = number.raw().parse().expect("a valid number");
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
