//! The scan finds the same as a plain line-by-line reading.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::plan::line::{self, Comments, Marker};

/// Reads a plan line by line with the general functions, and looks ids up in a map.
fn plainly(text: &[u8]) -> Scan {
    let mut plain = Plain::default();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        plain.line(number, start, line.strip_suffix(b"\r").unwrap_or(line));
        start += line.len() + 1;
    }
    plain.settle(text)
}

#[derive(Default)]
struct Plain {
    scan: Scan,
    fence: Option<line::Fence>,
    in_comment: bool,
}

impl Plain {
    fn line(&mut self, number: u32, start: usize, line: &[u8]) {
        if self.in_comment {
            self.in_comment = line::find_close(line).is_none();
            return;
        }
        let fence = line::fence(line);
        if let Some(open) = self.fence {
            let closes = |close: &line::Fence| {
                close.character == open.character && close.length >= open.length && close.bare
            };
            self.fence = fence.filter(closes).map_or(Some(open), |_| None);
            return;
        }
        self.fence = fence;
        if self.fence.is_none() {
            self.text(number, start, line);
        }
    }

    fn stray(&mut self, why: StrayReason, id: Span, line: u32) {
        self.scan.strays.push(Stray { why, id, line });
    }

    fn text(&mut self, number: u32, start: usize, line: &[u8]) {
        let within = |range: Range<usize>| Span::new(start + range.start..start + range.end);
        let trimmed = |range: Range<usize>| {
            let text = &line[range.clone()];
            let left = range.start + text.len() - text.trim_ascii_start().len();
            within(left..left + text.trim_ascii().len())
        };
        if let Some((level, text)) = line::heading(line) {
            let text = within(text..line.len());
            let end = text.end;
            self.scan.headings.push(Heading {
                level,
                text,
                line: number,
                end,
            });
        }
        let found = line::checkbox(line);
        let mut tracked = false;
        let mut comments = Comments::new(line);
        let mut before = 0;
        while let Some((at, marker)) = comments.next() {
            let phase = self.phase();
            match (marker, found) {
                (Marker::Phase(id), _) => {
                    let id = within(id);
                    self.scan.phases.push(PhaseMarker { id, line: number });
                }
                (Marker::Item(kind, id), Some(found)) if !tracked => {
                    tracked = true;
                    self.scan.items.push(Item {
                        kind,
                        done: line[found.mark].eq_ignore_ascii_case(&b'x'),
                        id: within(id),
                        text: trimmed(found.text..at),
                        mark: within(found.mark..found.mark).start,
                        line: number,
                        phase,
                    });
                }
                (Marker::Item(kind, id), _) => {
                    self.stray(StrayReason::NoCheckbox(kind), within(id), number);
                    if let Some((done, text)) = line::box_within(line, before..at) {
                        self.scan.untracked.push(Checkbox {
                            done,
                            text: trimmed(text),
                            line: number,
                            phase,
                            is_marked: true,
                        });
                    }
                }
                (Marker::BadId(id), _) => self.stray(StrayReason::BadId, within(id), number),
                (Marker::Note(kind, text), _) => {
                    let close = line::find_close(&line[text.end..]).unwrap();
                    let comment = within(at..text.end + close + 3);
                    let text = within(text);
                    self.scan.notes.push(Note {
                        kind,
                        text,
                        comment,
                        line: number,
                        phase,
                    });
                }
            }
            before = comments.at;
        }
        self.in_comment = comments.open;
        if let (Some(found), false) = (found, tracked) {
            let done = line[found.mark].eq_ignore_ascii_case(&b'x');
            let text = trimmed(found.text..line.len());
            let phase = self.phase();
            self.scan.untracked.push(Checkbox {
                done,
                text,
                line: number,
                phase,
                is_marked: false,
            });
        }
    }

    fn phase(&self) -> Option<u32> {
        self.scan
            .phases
            .len()
            .checked_sub(1)
            .map(|last| u32::try_from(last).unwrap())
    }

    fn settle(self, text: &[u8]) -> Scan {
        let mut scan = self.scan;
        for kind in [ItemKind::Task, ItemKind::Acceptance] {
            let mut seen = HashMap::new();
            scan.items.retain(|item| {
                if item.kind != kind {
                    return true;
                }
                let first = *seen.entry(item.id.of(text)).or_insert(item.line);
                if first != item.line {
                    scan.repeated.push(Repeated {
                        id: item.id,
                        first,
                        again: item.line,
                        open: (!item.done).then_some(item.text),
                    });
                }
                first == item.line
            });
        }
        let mut seen: HashMap<&[u8], (u32, u32)> = HashMap::new();
        let mut places = Vec::new();
        scan.phases.retain(|marker| {
            let place = u32::try_from(seen.len()).unwrap();
            let known = seen.get(marker.id.of(text)).copied();
            let (first, place) = known.unwrap_or((marker.line, place));
            places.push(place);
            match known {
                Some(_) => scan.repeated.push(Repeated {
                    id: marker.id,
                    first,
                    again: marker.line,
                    open: None,
                }),
                None => drop(seen.insert(marker.id.of(text), (first, place))),
            }
            known.is_none()
        });
        let settle = |phase: &mut Option<u32>| *phase = phase.map(|old| places[old as usize]);
        scan.items
            .iter_mut()
            .for_each(|item| settle(&mut item.phase));
        scan.notes
            .iter_mut()
            .for_each(|note| settle(&mut note.phase));
        scan.untracked
            .iter_mut()
            .for_each(|found| settle(&mut found.phase));
        scan
    }
}

/// Everything in a scan, in a form that can be compared.
type Facts<'s> = (
    (&'s [PhaseMarker], &'s [Item], &'s [Note]),
    (&'s [Checkbox], &'s [Heading], &'s [Repeated], &'s [Stray]),
);

fn facts(scan: &Scan) -> Facts<'_> {
    (
        (&scan.phases, &scan.items, &scan.notes),
        (
            &scan.untracked,
            &scan.headings,
            &scan.repeated,
            &scan.strays,
        ),
    )
}

fn any_line() -> impl Strategy<Value = String> {
    let usual = (
        "( {0,3}|\t)- \\[[ xX~]\\] {0,2}[a-z <>!-]{0,12} {0,2}",
        "[a-c._-]{0,2}[0-9a-zA-Z-]{0,18}",
    );
    prop_oneof![
        6 => usual.prop_map(|(line, id)| format!("{line}<!-- TASK: {id} -->")),
        2 => "[-*+] \\[[ x]\\] [a-z]{0,5} <!--[ ]{0,2}(TASK|ACCEPT|task):[ ]{0,2}[a-c]{0,2} {0,2}-->[ a<]{0,2}",
        1 => "- \\[[ x]\\] [a-z]{0,5} <!-- TASK: [a-c] -?->?",
        1 => "[-*] \\[[ x]\\] [a-zé✓]{0,9}",
        2 => "(#{0,3} [a-z]{0,5} ?)?<!-- CHECKPOINT: [a-c]{1,2} -->",
        1 => "<!-- (DECISION|BLOCKER): [a-z ]{0,9} -->",
        1 => "#{1,7} ?[A-Z][a-z]{0,8} ?#?",
        1 => " {0,2}(```|~~~|````|~~~~)[a-z ]{0,2}",
        1 => "(<!--|-->|<|>| - |[a-z]){0,4}",
        1 => Just(String::new()),
    ]
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let line = (any_line(), prop_oneof![4 => Just("\n"), 1 => Just("\r\n")]);
    let lines = prop::collection::vec(line, 0..40);
    (lines, any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: Vec<u8> = lines
            .iter()
            .flat_map(|(line, end)| [line.as_str(), end])
            .collect::<String>()
            .into();
        if !is_ended {
            text.pop();
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_plan_says_what_its_lines_say_one_by_one(text in any_text()) {
        let scan = scan(&text).unwrap();
        let expected = plainly(&text);
        prop_assert_eq!(facts(&scan), facts(&expected));
    }

    #[test]
    fn any_bytes_are_read_as_their_lines_are(text in prop::collection::vec(
        prop::sample::select(&b"- [x] <!-- TASK: a -->\r\n`~#:\xff"[..]), 0..300,
    )) {
        let scan = scan(&text).unwrap();
        let expected = plainly(&text);
        prop_assert_eq!(facts(&scan), facts(&expected));
    }
}

/// Longer than any plan that people write.
const LONG: usize = 4 << 20;

/// A long plan with `middle` in its middle.
fn long_plan(middle: &str) -> Vec<u8> {
    let half = |name: &str| {
        let phases = (0..500).map(|phase| {
            let tasks = (0..100).map(|task| {
                // Some ids are repeated in the other half, some in the next phase.
                let id = if task == 7 {
                    format!("shared-{phase}")
                } else {
                    format!("{name}-{phase}-{task}")
                };
                let id = if task == 50 {
                    format!("{name}-{}", phase / 3)
                } else {
                    id
                };
                format!(
                    "- [{}] Do what has to be done <!-- TASK: {id} -->\n",
                    if task % 3 == 0 { 'x' } else { ' ' }
                )
            });
            format!(
                "## Phase\n<!-- CHECKPOINT: {name}-{} -->\n{}",
                phase % 400,
                tasks.collect::<String>()
            )
        });
        phases.collect::<String>()
    };
    format!("{}{middle}{}", half("a"), half("b")).into_bytes()
}

#[test]
fn a_long_plan_says_what_its_lines_say_one_by_one() {
    let text = long_plan("");
    assert!(text.len() > LONG);
    let scan = scan(&text).unwrap();
    assert_eq!(facts(&scan), facts(&plainly(&text)));
    assert_eq!(scan.items.len() + scan.repeated.len(), 100_000 + 200);
}

#[test]
fn a_block_that_is_open_in_the_middle_of_a_long_plan_continues() {
    for open in ["```\n", "~~~~ md\n", "<!-- not\n", "```\r\n"] {
        let text = long_plan(open);
        let scan = scan(&text).unwrap();
        assert_eq!(facts(&scan), facts(&plainly(&text)), "{open:?}");
    }
}

#[test]
fn a_long_line_without_an_end_is_read() {
    let text = [
        b"- [x] a <!-- TASK: a -->\n- [ ] ".as_slice(),
        &b"a ".repeat(LONG),
    ]
    .concat();
    let scan = scan(&text).unwrap();
    assert_eq!(facts(&scan), facts(&plainly(&text)));
}
