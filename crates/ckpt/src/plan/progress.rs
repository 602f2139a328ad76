//! A plan's progress, as JavaScript would print the numbers.

use crate::document::{Document, Value};

/// The percentage of `total` that is done, with one decimal: the result of `Number((done / total * 100).toFixed(1))`.
#[must_use]
pub fn percentage(done: usize, total: usize) -> Value {
    let text = percentage_text(done, total);
    let document = Document::parse(text).expect("digits are JSON");
    document.value()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "JavaScript divides floats too, and plans have fewer than 2^53 tasks"
)]
fn percentage_text(done: usize, total: usize) -> String {
    if total == 0 {
        return "0".to_owned();
    }
    let exact = done as f64 / total as f64 * 100.0;
    // `toFixed` rounds the exact value of the float, halves up, while formatting rounds halves to even. So print the
    // exact digits and round them here.
    let digits = format!("{exact:.60}");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, "0"));
    let whole: u64 = whole.parse().unwrap_or(0);
    let mut places = fraction.bytes().map(|digit| u64::from(digit - b'0'));
    let tenth = places.next().unwrap_or(0);
    let up = places.next().unwrap_or(0) >= 5;
    let tenths = whole * 10 + tenth + u64::from(up);
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

#[cfg(test)]
mod tests;
