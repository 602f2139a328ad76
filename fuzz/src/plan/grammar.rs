//! Plans made of fragments: lines of all the kinds that a plan has, and pieces that break them.

use crate::choices::Choices;

/// The most lines of a plan.
const MOST_LINES: usize = 24;

const INDENTS: &[&str] = &["", "", "", "  ", "    ", "\t", " \t ", "> "];
const BULLETS: &[&str] = &[
    "- ",
    "- ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "12) ",
    "-\t",
    "-",
    "1234567890. ",
];
const BOXES: &[&str] = &[
    "[ ] ", "[ ] ", "[x] ", "[X] ", "[~] ", "[✓] ", "[] ", "[ ]", "[xx] ", "[é]\t",
];
const TEXTS: &[&str] = &[
    "Do it",
    "Do that",
    "",
    "日本 Größe",
    "a - [ ] b",
    "a - [x] ",
    "`code`",
    "<b>",
    "-->",
    "<!--",
    "<!-- a remark -->",
    "ends with space  ",
    "\u{c}",
    "🚀",
    "<!-->",
];
const MARKERS: &[&str] = &[
    " <!-- TASK: a -->",
    " <!-- TASK: b -->",
    " <!-- TASK: c.1_2-3 -->",
    " <!-- ACCEPT: a -->",
    " <!-- ACCEPT: d -->",
    "",
    "",
    "<!--TASK:e-->",
    " <!--  TASK:\tf  -->",
    " <!-- TASK: two words -->",
    " <!-- TASK: -->",
    " <!-- task: a -->",
    " <!-- TASK : a -->",
    " <!-- TASK: é -->",
    " <!-- TASK: g --",
    " <!-- TASK: h --> and <!-- TASK: i -->",
    " <!-- CHECKPOINT: p -->",
    " <!-- DECISION: why -->",
    " <!-- TASK: a-- -->",
];
const HEADINGS: &[&str] = &[
    "# Plan",
    "## Build",
    "## Build",
    "### Detail",
    "## Acceptance criteria",
    "## Definition of done",
    "####### Seven",
    "#None",
    "#",
    "## ",
    "    ## Indented",
    "## Open <!-- a comment",
    "## Ship <!-- CHECKPOINT: ship -->",
];
const LINES: &[&str] = &[
    "",
    "<!-- CHECKPOINT: p -->",
    "<!-- CHECKPOINT: q -->",
    "<!-- CHECKPOINT: p/q -->",
    "<!-- DECISION: We use one file -->",
    "<!-- BLOCKER: No key -->",
    "<!-- BLOCKER: -->",
    "Prose.",
    "More prose.",
    "Depends on Build.",
    "```",
    "```md",
    "````",
    "``` a`b",
    "~~~",
    "~~~~ x",
    "  ```",
    "```\u{c}",
    "<!--",
    "-->",
    "<!-- a remark",
    "--> <!-- TASK: j -->",
    "---",
    "\u{feff}",
    "<<<<<<< ours",
    ">>>>>>> theirs",
];
const ENDINGS: &[&str] = &["\n", "\n", "\n", "\r\n", "\r", "\r\r\n"];

/// A plan of chosen lines.
pub(super) fn plan(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut text = String::new();
    if choices.byte() == 0xff {
        text.push('\u{feff}');
    }
    for _ in 0..MOST_LINES {
        if choices.is_over() {
            break;
        }
        text += &line(choices);
        text += choices.pick(ENDINGS);
    }
    if choices.yes() {
        text.pop();
    }
    text.into_bytes()
}

/// A line of any kind, without its ending.
pub(super) fn line(choices: &mut Choices<'_>) -> String {
    match choices.below(8) {
        0..=3 => {
            let parts = [INDENTS, BULLETS, BOXES, TEXTS, MARKERS];
            parts.map(|part| choices.pick(part)).concat()
        }
        4 => choices.pick(HEADINGS).to_owned(),
        5 | 6 => choices.pick(LINES).to_owned(),
        // Anything after anything.
        _ => {
            let parts = [TEXTS, MARKERS, LINES, BOXES, TEXTS];
            parts.map(|part| choices.pick(part)).concat()
        }
    }
}

/// A plan in which no line and no id occurs twice.
pub(super) fn tidy_plan(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut text = String::new();
    for number in 0..MOST_LINES {
        if choices.is_over() {
            break;
        }
        text += &numbered_line(number, choices);
        text.push('\n');
    }
    text.into_bytes()
}

/// A line that a side adds to a tidy plan. Both sides may add the same.
pub(super) fn tidy_line(choices: &mut Choices<'_>) -> String {
    let number = MOST_LINES + choices.below(8);
    numbered_line(number, choices)
}

fn numbered_line(number: usize, choices: &mut Choices<'_>) -> String {
    match choices.below(8) {
        0..=3 => format!("- [ ] Task {number} <!-- TASK: t{number} -->"),
        4 => format!("  - [x] Part {number} <!-- TASK: t{number} -->"),
        5 => format!("- [ ] Criterion {number} <!-- ACCEPT: t{number} -->"),
        6 => format!("## Phase {number}\n<!-- CHECKPOINT: p{number} -->"),
        _ => format!("Prose {number}."),
    }
}
