//! Numbers that JavaScript cannot hold.
//!
//! `JSON.parse` rounds whole numbers beyond 2^53 and forgets how a number was written. What comes back unchanged from
//! JavaScript gets the digits back that it had.

use std::cell::OnceCell;
use std::collections::HashMap;

use ckpt::document::{Number, Object, Value};

/// Gives numbers that are what they were, as far as JavaScript can tell, the spelling that they had. `place` is what was
/// where `given` is now, `whole` the document that it was part of: there a number is looked for that was moved about.
pub fn respelled(given: Value, place: Option<&Value>, whole: &Value) -> Value {
    Spellings {
        whole,
        lost: OnceCell::new(),
    }
    .of(given, place)
}

/// How the numbers of a document were written.
struct Spellings<'d> {
    whole: &'d Value,
    /// The numbers that JavaScript cannot hold, by what it holds instead; nothing where several became the same.
    lost: OnceCell<HashMap<u64, Option<&'d Number>>>,
}

impl<'d> Spellings<'d> {
    fn of(&self, given: Value, place: Option<&Value>) -> Value {
        match (given, place) {
            (Value::Number(given), Some(Value::Number(before)))
                if is_same(given.raw(), before.raw()) =>
            {
                Value::Number(before.clone())
            }
            (Value::Number(given), _) => Value::Number(self.moved(given)),
            // JavaScript reads it as infinite, and writes what is infinite as null.
            (Value::Null, Some(Value::Number(before))) if is_infinite(before.raw()) => {
                Value::Number(before.clone())
            }
            (Value::Object(given), place) => {
                let place = place.and_then(Value::as_object);
                let mut members = Object::new();
                for (name, value) in given.iter() {
                    let place = place.and_then(|before| before.get(name));
                    members.set(name, self.of(value.clone(), place));
                }
                Value::Object(members)
            }
            (Value::Array(given), place) => {
                let before = place.and_then(Value::as_array).unwrap_or_default();
                self.items(given, before)
            }
            (given, _) => given,
        }
    }

    /// Items at the beginning and at the end that are what they were. In between they may have been moved about, and
    /// nobody can tell which was which; but if there are as many, each is taken for the one in its place.
    fn items(&self, given: Vec<Value>, before: &[Value]) -> Value {
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
        let respell = |(at, value): (usize, Value)| {
            let then = match at {
                at if at < head => Some(at),
                at if at + tail >= length => Some(before.len() - (length - at)),
                _ => None,
            };
            self.of(value, then.map(|then| &before[then]))
        };
        Value::Array(given.into_iter().enumerate().map(respell).collect())
    }

    /// A number that is not where it was, or is new.
    fn moved(&self, given: Number) -> Number {
        let lost = self.lost.get_or_init(|| {
            let mut lost = HashMap::new();
            collect(self.whole, &mut lost);
            lost
        });
        let Ok(value) = given.raw().parse::<f64>() else {
            return given;
        };
        match lost.get(&value.to_bits()) {
            Some(Some(before)) => (*before).clone(),
            _ => given,
        }
    }
}

fn collect<'d>(value: &'d Value, lost: &mut HashMap<u64, Option<&'d Number>>) {
    match value {
        Value::Number(number) => {
            let Some(held) = held_instead(number.raw()) else {
                return;
            };
            let known = lost.entry(held.to_bits()).or_insert(Some(number));
            if known.is_some_and(|known| known.raw() != number.raw()) {
                *known = None;
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, lost)),
        Value::Object(members) => members.iter().for_each(|(_, value)| collect(value, lost)),
        _ => (),
    }
}

/// What JavaScript holds instead of a number that it cannot hold. What it takes for zero is left out: there are many
/// other zeros.
fn held_instead(raw: &str) -> Option<f64> {
    let value: f64 = raw.parse().ok().filter(|value: &f64| value.is_normal())?;
    let is_lost = digits(raw) != digits(&format!("{value:e}"));
    is_lost.then_some(value)
}

/// The digits that count, without those that only tell how large a number is.
fn digits(raw: &str) -> String {
    let mantissa = raw.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// Whether a value is what JavaScript makes of another one.
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
            let back = respelled(through_javascript(&before), Some(&before), &before);
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
            let back = respelled(through_javascript(&wanted), Some(&before), &before);
            // Numbers that JavaScript takes for each other may stand in for each other.
            let same = through_javascript(&wanted) == through_javascript(&back);
            prop_assert!(same);
            let distinct = items.iter().enumerate().all(|(one, first)| {
                let same = |second: &String| {
                    is_same(first, second) || (is_infinite(first) && is_infinite(second))
                };
                !items.iter().skip(one + 1).any(same)
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
        let back = respelled(given, Some(&before), &before);
        assert_eq!(
            back.to_compact(),
            r#"{"a":9007199254740994,"b":2,"c":[1e2,5]}"#
        );
    }
}
