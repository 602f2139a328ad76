//! Two sides of a plan, each with changes of its own.

use crate::choices::Choices;

/// The most changes of one side.
const MOST_CHANGES: usize = 6;

/// A version with some changes: lines are added, removed, moved, ticked and reworded.
pub(super) fn changed(
    base: &[u8],
    choices: &mut Choices<'_>,
    new_line: fn(&mut Choices<'_>) -> String,
) -> Vec<u8> {
    let lines = base.split_inclusive(|byte| *byte == b'\n');
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    for _ in 0..choices.below(MOST_CHANGES) {
        let at = choices.below(lines.len() + 1);
        let is_there = at < lines.len();
        match choices.below(6) {
            0 | 1 if is_there => tick(&mut lines[at]),
            2 if is_there => drop(lines.remove(at)),
            3 if is_there => {
                let line = lines.remove(at);
                let to = choices.below(lines.len() + 1);
                lines.insert(to, line);
            }
            4 if is_there => {
                let line = &mut lines[at];
                let end = line.trim_ascii_end().len();
                line.splice(end..end, *b" indeed");
            }
            _ => {
                let mut line = new_line(choices).into_bytes();
                line.push(b'\n');
                lines.insert(at, line);
            }
        }
    }
    lines.concat()
}

fn tick(line: &mut [u8]) {
    let open = line.windows(3).position(|found| found == b"[ ]");
    let done = line.windows(3).position(|found| found == b"[x]");
    match (open, done) {
        (Some(at), _) => line[at + 1] = b'x',
        (None, Some(at)) => line[at + 1] = b' ',
        (None, None) => {}
    }
}
