//! Every command that a refusal names can be typed as it stands.

use std::path::PathBuf;

use crate::support::environment::{Environment, Run};

/// Words in hints that stand for something. A command with one of them is not run.
const PLACEHOLDERS: [&str; 13] = [
    "COMMAND",
    "[FEATURE]",
    "FEATURE",
    "TITLE",
    "FILE",
    "ID",
    "SPEC",
    "WORKSTREAM",
    "VERDICT",
    "TASK",
    "TEXT",
    "NAME",
    "GATE",
];

/// Checkpoints of every kind, in every state that commands refuse something in.
const WORLD: &str = "\
start implement auth --phases build,check
phase implement/auth build in_progress
start implement search --phases build
start implement done --phases build
complete implement/done --force
start implement legacy --phases build
abandon implement/legacy --reason needless
start implement payment --phases build
gate set implement/payment --block unsafe
start ship
start build x
pipeline init one.md
pipeline start PRD-001 WS1
pipeline init two.md
abandon PRD-002 --reason needless
pipeline init three.md
pipeline start PRD-003 WS1
pipeline fail PRD-003 WS1 --message broken
pipeline init four.md
pipeline init five.md
pipeline start PRD-005 WS1
pipeline done PRD-005 WS1
pipeline gate pass PRD-005 tests
pipeline complete PRD-005
plan sync --plan 260101-1000-over
complete 260101-1000-over --force
plan sync --plan 260220-1149-login
plan done roles --plan 260220-1149-login
plan claim schema --by team:1 --plan 260220-1149-login
plan block legal --plan 260220-1149-login
plan use 260220-1149-login
start implement mailing --phases build
complete implement/mailing --force
archive implement/mailing
start implement invoice --phases build
delete implement/invoice --force
";

/// What is refused, or finds nothing to do. A line that begins with `!` is done first and must succeed.
const REFUSED: &str = "\
show nothing/here
show PRD-099
show plan:nothing
show pipeline:nothing
show implement/auth --at 99
show implement/auth --at @900d
show implement/auht
log nothing/here
diff nothing/here
diff implement/auth 98 99
restore implement/auth 99
restore nothing/here 1
undo nothing/here
undo ship
undo implement/payment
undo --session nobody
fork nothing/here implement/new
fork implement/auth implement/search
fork implement/auth PRD-009
fork implement/auth pipeline:PRD-009
rename implement/payment implement/free
rename implement/auth 260101-0900-later
rename implement/auth implement/search
archive implement/auth
archive PRD-001
archive 260220-1149-login
archive nothing/here
delete implement/auth
delete PRD-001
delete implement/payment --force
unarchive nothing/here
!start implement mailing --again && unarchive implement/mailing
start implement done
start implement auht
phase implement/auth biuld complete
phase implement/done build complete
phase PRD-001 build complete
phase 260220-1149-login build complete
complete implement/auth
complete implement/done
complete implement/payment
complete implement/legacy
complete PRD-001
complete PRD-003
complete PRD-004
complete PRD-005
complete 260220-1149-login
complete 260101-1000-over
complete nothing/here
abandon implement/done --reason late
abandon PRD-005 --reason late
abandon 260101-1000-over --reason late
abandon nothing/here --reason late
resume nothing/here
resume implement/done
resume PRD-005
resume 260101-1000-over
resume --auto implement
resume --auto design
resume --auto design login
resume --auto build
resume --auto build x
resume --auto build PRD-002
resume --auto build PRD-005
resume --auto build PRD-099
resume --auto plan 260101-1000-over
resume --auto plan 260101-1000-nothing
resume --auto implement legacy
resume --auto implement done
resume --auto implement mailing
resume --auto implement invoice
resume --auto build/x/y
pipeline init missing.md
pipeline init plain.md
pipeline next PRD-099
pipeline show PRD-099
pipeline start PRD-001 WS9
pipeline start PRD-001 WS2
pipeline start PRD-002 WS1
pipeline start PRD-003 WS2
pipeline done PRD-001 WS2
pipeline done PRD-004 WS1
pipeline gate run PRD-001 nothing
pipeline gate pass PRD-001 nothing
pipeline gate run PRD-001
pipeline complete PRD-001
pipeline complete PRD-004
pipeline complete PRD-005
pipeline resume PRD-002
pipeline resume PRD-003
pipeline reopen PRD-001
pipeline reopen PRD-002
pipeline fixed PRD-001
pipeline approve PRD-001
!pipeline done PRD-001 WS1 && !pipeline defer PRD-001 WS2 --reason later && complete PRD-001 --force
!pipeline defer PRD-001 WS2 --reason later && pipeline done PRD-001 WS2
!abandon 260220-1149-login --reason late && resume --auto plan 260220-1149-login
pipeline sync PRD-001 two.md
pipeline next PRD-002
pipeline next PRD-003
plan done nothing
plan done schema --by team:2
plan claim schema --by team:2
plan claim roles
plan release form
plan release schema --by team:2
plan accept nothing
plan accept form
plan done works
plan undo nothing
plan unblock nothing
plan add More --after nothing
plan edit nothing Text
plan show --plan nothing
plan use nothing
plan use 260101-1000-over && plan next
plan recover --plan nothing
plan new Login --from missing.md
plan done form --plan 260101-1000-over
gate check implement/auth
gate check implement/payment
gate check nothing/here
gate show nothing/here
gate override implement/auth --reason later
gate set nothing/here --allow
gate set PRD-001 --allow
gate run nothing/here tests -- true
ack nothing
followers run nobody
followers remove nobody
config get nothing
config set lock_timeout_ms soon
recover nothing/here
validate nothing/here
validate broken.json
show broken.json
save nothing/here
handoff check missing.json
handoff reply nothing
tokens missing.md
";

/// A world that is as it was whenever it is needed again.
struct World {
    environment: Environment,
    saved: PathBuf,
}

impl World {
    fn new() -> Self {
        let environment = Environment::new();
        for (number, name) in ["one", "two", "three", "four", "five"].iter().enumerate() {
            let gate = if *name == "one" { ", gate: tests" } else { "" };
            let two = if *name == "five" {
                ""
            } else {
                "\n  WS2: { depends_on: [WS1] }"
            };
            let text = format!(
                "---\nprd: PRD-00{}\nworkstreams:\n  WS1: {{ name: Data{gate} }}{two}\ngates:\n  tests: {{ command: 'true' }}\n---\n",
                number + 1
            );
            environment.write(&format!("{name}.md"), text);
        }
        environment.write("plain.md", "nothing is specified here\n");
        environment.write("broken.json", "{");
        let plan = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n- [ ] Schema <!-- TASK: schema -->\n\
            - [ ] Roles <!-- TASK: roles -->\n- [ ] Form <!-- TASK: form -->\n- [ ] Works <!-- ACCEPT: works -->\n";
        environment.write("plans/260220-1149-login/plan.md", plan);
        environment.write("plans/260101-1000-over/plan.md", plan);
        environment.commit("specified");
        let saved = environment.base().join("saved");
        for line in WORLD.lines() {
            typed(&environment, line).exits(0);
        }
        copy(&environment, environment.root().into(), &saved);
        Self { environment, saved }
    }

    fn restore(&self) {
        std::fs::remove_dir_all(self.environment.root()).unwrap();
        copy(
            &self.environment,
            self.saved.clone(),
            self.environment.root(),
        );
    }

    /// Runs lines, the last of which is refused, in the world as it was.
    fn provoked(&self, lines: &str) -> Run {
        self.restore();
        let mut run = None;
        for line in lines.split(" && ") {
            run = Some(match line.strip_prefix('!') {
                Some(line) => typed(&self.environment, line).exits(0),
                None => typed(&self.environment, line),
            });
        }
        run.unwrap()
    }
}

fn copy(environment: &Environment, from: PathBuf, to: &std::path::Path) {
    let mut command = environment.command("cp");
    let status = command
        .arg("-a")
        .arg(from)
        .arg(to)
        .current_dir("/")
        .status();
    assert!(status.unwrap().success());
}

fn typed(environment: &Environment, line: &str) -> Run {
    let words: Vec<&str> = line.split(' ').collect();
    environment.ckpt(&words)
}

/// The commands in what was said, and whether all of them can be run as they stand.
fn named(said: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let starts: Vec<usize> = said.match_indices("ckpt ").map(|(at, _)| at).collect();
    for at in starts {
        let is_word = said[..at].ends_with([' ', '`', '(']) || at == 0;
        let is_prose = !said[..at].ends_with(": ")
            && !said[..at].ends_with("or ")
            && !said[..at].ends_with("see ")
            && !said[..at].ends_with('`');
        if !is_word || is_prose {
            continue;
        }
        let rest = &said[at..];
        let ends = [";", ", ", ". ", "\n", " or ckpt", " for a ", "`", ")"];
        let end = ends.iter().filter_map(|end| rest.find(end)).min();
        let command = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        commands.push(command.to_owned());
    }
    commands
}

fn is_runnable(command: &str) -> bool {
    !command
        .split(' ')
        .any(|word| PLACEHOLDERS.contains(&word) || word.starts_with('<') || word == "[OPTIONS]")
}

#[test]
fn every_command_in_a_hint_can_be_typed_as_it_stands() {
    let world = World::new();
    let (mut refused, mut runs) = (0, 0);
    let mut wrong = Vec::new();
    for lines in REFUSED.lines() {
        let run = world.provoked(lines);
        run.assert_no_panic(lines);
        refused += usize::from(run.code != Some(0));
        let said = [run.stdout.as_str(), run.stderr.as_str()].concat();
        for hint in named(&said) {
            if !is_runnable(&hint) {
                continue;
            }
            world.provoked(lines);
            let mut command = world.environment.command("sh");
            let hinted = hint.replacen("ckpt", crate::support::environment::CKPT, 1);
            let answer = Run::of(command.args(["-c", &hinted]));
            runs += 1;
            if matches!(answer.code, Some(2 | 3)) {
                wrong.push(format!("{lines}\n  said {said}  and {hint} says {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        refused >= 100 && runs >= 60,
        "{refused} refused, {runs} run"
    );
}
