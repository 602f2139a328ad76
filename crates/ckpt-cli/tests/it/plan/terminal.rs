//! Nothing in a plan can control the terminal.

use crate::support::planned::{ID, Planned, TEXT};

/// What a terminal would obey: control characters other than newline and tab, and marks that change
/// the direction of writing.
fn obeyed(text: &str) -> Vec<char> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|c| is_control(*c) || turns(*c))
        .collect()
}

const EVIL: &str = "a\u{1b}[31m\u{7}\u{8}\u{9b}2J\u{202e}\u{2066}\u{0}\u{7f}b";

#[test]
fn nothing_in_a_plan_makes_a_terminal_do_anything() {
    let planned = Planned::new(format!(
        "# {EVIL}\n## {EVIL}\n<!-- CHECKPOINT: p -->\n- [ ] {EVIL} <!-- TASK: a -->\n\
         - [ ] x <!-- TASK: {EVIL} -->\n- [ ] {EVIL}\n- [ ] {EVIL} <!-- ACCEPT: c -->\n\
         <!-- DECISION: {EVIL} -->\n<!-- BLOCKER: {EVIL} -->\n<!-- CHECKPOINT: {EVIL} -->\n\
         - [ ] {EVIL} <!-- TASK: a -->\n"
    ));
    // An argument cannot have a null character.
    let argument = EVIL.replace('\0', "");
    planned.does(&["note", &argument]);
    planned.does(&["claim", "a", "--by", "subagent:x"]);
    let decided = planned.plan(&["decide", &argument, "--reason", &argument]);
    decided.assert_no_panic("decide");
    let mut runs = planned.readers();
    let more: [&[&str]; 14] = [
        &["log", ID],
        &["log", ID, "--json"],
        &["show", ID, "--json"],
        &["resume", "--json"],
        &["list", "--json"],
        &["status", "--json"],
        &["plan", "show", "--json"],
        &["plan", "next", "-n", "9"],
        &["plan", "validate", "--json"],
        &["plan", "unblock", "nothing like it"],
        &["plan", "done", &argument],
        &["plan", "use", &argument],
        &["plan", "decide", "x", "--phase", &argument],
        &["plan", "sync", "--json"],
    ];
    runs.extend(more.map(|command| (command.join(" "), planned.ckpt(command))));
    for (name, run) in runs {
        run.assert_no_panic(&name);
        assert_eq!(obeyed(&run.stderr), [' '; 0], "{name:?}: {run:?}");
        if name.contains("--json") {
            // JSON is for programs: the text is complete, and escaped.
            assert!(!run.stdout.contains('\u{1b}'), "{name:?}: {run:?}");
        } else {
            assert_eq!(obeyed(&run.stdout), [' '; 0], "{name:?}: {run:?}");
        }
    }
}

#[test]
fn the_names_of_plan_directories_and_phase_files_cannot_control_the_terminal() {
    let planned = Planned::new(TEXT);
    let name = "plans/260301-0900-\u{1b}[31mred/plan.md";
    planned.write(name, TEXT);
    planned.put("phase-02-\u{1b}[31m.md", "- [ ] x <!-- TASK: schema -->\n");
    for (name, run) in planned.readers() {
        run.assert_no_panic(&name);
        assert_eq!(obeyed(&run.stdout), [' '; 0], "{name:?}: {run:?}");
        assert_eq!(obeyed(&run.stderr), [' '; 0], "{name:?}: {run:?}");
    }
}
