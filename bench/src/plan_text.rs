//! Generates plans of any size that look like real ones: phases with headings and markers, tasks and subtasks,
//! criteria, prose, decisions and fenced code. The same size gives the same bytes.

use std::fmt::Write as _;

/// The number of tasks in the largest plan.
pub(crate) const MANY_TASKS: usize = 929_000;
/// The size of the largest plan, in bytes.
pub(crate) const MANY_TASKS_SIZE: usize = 99_314_242;

const VERBS: [&str; 12] = [
    "Add", "Move", "Extract", "Replace", "Document", "Test", "Review", "Rename", "Create",
    "Set up", "Clean up", "Verify",
];
const THINGS: [&str; 14] = [
    "the schema",
    "retry handling",
    "the session cache",
    "rate limits",
    "error messages",
    "the import path",
    "a migration",
    "audit logging",
    "the token refresh",
    "pagination",
    "the upload queue",
    "background jobs",
    "the settings page",
    "webhook signatures",
];
const PLACES: [&str; 10] = [
    "for the orders service",
    "in src/api/handlers.ts",
    "before the next release",
    "behind a feature flag",
    "and cover it with tests",
    "in the billing worker",
    "so that a restart loses nothing",
    "with the defaults of today (see #412)",
    "for accounts with more than one owner",
    "as decided in the review of Monday",
];
const AREAS: [&str; 10] = [
    "db",
    "api",
    "auth",
    "ui",
    "billing",
    "search",
    "import-export",
    "notifications",
    "ops",
    "docs",
];
const PROSE: [&str; 4] = [
    "The work of this phase can be undone until its last step: nothing is deleted before the new path \
     has served a full day.",
    "Keep the public interface as it is. Callers that rely on the order of results (a < b) are listed \
     in the appendix.",
    "See `docs/design.md` for the reasons. Open questions go to the end of this file, not into the \
     tasks.",
    "> Measured twice: 40 ms at the 99th percentile, and 12 ms at the median.",
];
const CODE: &str = "\
```ts
export async function load(id: string): Promise<Session | null> {
  const row = await db.get('select * from sessions where id = ?', [id]);
  return row && row.expires > Date.now() ? parse(row) : null;
}
```
";

/// A plan with this many tasks.
pub(crate) fn with_tasks(count: usize) -> String {
    let mut plan = Plan::default();
    while plan.tasks < count {
        plan.phase(count);
    }
    plan.text
}

/// A plan of about this many bytes.
pub(crate) fn of_size(bytes: usize) -> String {
    let mut plan = Plan::default();
    while plan.text.len() < bytes {
        plan.phase(usize::MAX);
    }
    plan.text
}

/// The id of the last task that is not ticked.
pub(crate) fn last_open_task(plan: &str) -> Option<&str> {
    let open = plan.lines().rev().filter(|line| line.contains("- [ ] "));
    let mut ids = open.filter_map(|line| line.split_once("<!-- TASK: "));
    ids.find_map(|(_, rest)| rest.strip_suffix(" -->"))
}

/// The id of the task with this number, from 0.
fn task_id(number: usize) -> String {
    let area = AREAS[number / 7 % AREAS.len()];
    match number % 3 {
        0 => format!("{area}-{number}"),
        1 => format!("p{}-{area}-t{number}", number / 40),
        _ => format!("{area}-{}-{number}", AREAS[number % AREAS.len()]),
    }
}

#[derive(Default)]
struct Plan {
    text: String,
    tasks: usize,
    phases: usize,
    /// The state of an LCG, which is random enough for words.
    state: u64,
}

impl Plan {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit
    }

    fn one_of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes a phase with 15 to 50 tasks, or fewer if `count` is reached.
    fn phase(&mut self, count: usize) {
        self.phases += 1;
        let (number, thing) = (self.phases, self.one_of(&THINGS));
        self.line(format_args!("## Phase {number}: {thing}"));
        self.line(format_args!("<!-- CHECKPOINT: phase-{number} -->\n"));
        if self.below(2) == 0 {
            let prose = self.one_of(&PROSE);
            self.line(format_args!("{prose}\n"));
        }
        let until = count.min(self.tasks + 15 + self.below(36));
        while self.tasks < until {
            self.task();
        }
        let thing = self.one_of(&THINGS);
        self.line(format_args!(
            "- [ ] Nothing breaks {thing} <!-- ACCEPT: phase-{number}-holds -->\n"
        ));
        match self.below(6) {
            0 => self.text.push_str(CODE),
            1 => self.line(format_args!(
                "<!-- DECISION: {thing} stays until phase {} -->",
                number + 1
            )),
            2 => self.line(format_args!(
                "<!-- BLOCKER: the owner of {thing} has to agree -->"
            )),
            _ => {}
        }
        self.text.push('\n');
    }

    fn task(&mut self) {
        let indent = if self.below(8) == 0 { "  " } else { "" };
        let mark = if self.below(5) < 2 { 'x' } else { ' ' };
        let [verb, thing, place] = [&VERBS[..], &THINGS, &PLACES].map(|words| self.one_of(words));
        let _ = write!(self.text, "{indent}- [{mark}] {verb} {thing} {place}");
        if self.below(4) < 1 {
            let (area, number) = (self.one_of(&AREAS), self.below(900));
            let _ = write!(self.text, ", then tell the people of {area} (#{number})");
        }
        let id = task_id(self.tasks);
        self.line(format_args!(" <!-- TASK: {id} -->"));
        self.tasks += 1;
    }
}

#[cfg(test)]
mod tests;
