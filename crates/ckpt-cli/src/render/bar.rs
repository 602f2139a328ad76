//! Progress bars.

#[cfg(test)]
mod tests;

const WIDTH: usize = 10;

/// `██████░░░░ 3/5`
pub(crate) fn bar(done: usize, total: usize) -> String {
    let filled = (done * WIDTH).checked_div(total).unwrap_or(0).min(WIDTH);
    format!(
        "{}{} {done}/{total}",
        "█".repeat(filled),
        "░".repeat(WIDTH - filled)
    )
}
