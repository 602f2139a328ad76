//! A specification that is known before it is written, in one of the ways that people write one.

use std::collections::HashSet;
use std::fmt::Write as _;

use ckpt::pipeline::{Buckets, Readiness, Reference, Spec, check, schedule};

use crate::choices::Choices;

const IDS: &[&str] = &[
    "WS1",
    "WS2",
    "WS3",
    "ws-4",
    "5",
    "é 日本",
    "it's",
    "a: b",
    "on",
    "~",
];
const TEXTS: &[&str] = &[
    "Data",
    "two words",
    "# none",
    "- item",
    "{x}",
    "[y",
    "\"q\"",
    "'",
    "a: b # c",
    "null",
    "1.0",
    "*a",
    "&b",
    "| c",
    "%d",
    "@e",
    "back\\slash",
    "é 日本 😀",
];
const PATHS: &[&str] = &["src/a.rs", "b (c).md", "#d", "docs/é.md", "e#f"];
const NOTES: &[&str] = &["", " (NEW)", "  # Modified", " #", " (a) # b"];
const GATES: &[&str] = &["tests", "lint", "type-check", "by hand", "6"];

/// The most workstreams, phases and gates.
const MOST: usize = 5;

#[derive(Debug, Default)]
struct Workstream {
    id: String,
    name: Option<String>,
    executor: Option<String>,
    depends_on: Vec<String>,
    /// Each with the note that follows it.
    outputs: Vec<(String, &'static str)>,
    gates: Vec<String>,
}

#[derive(Debug)]
struct Phase {
    name: String,
    workstreams: Vec<String>,
    gates: Vec<String>,
}

#[derive(Debug)]
struct Gate {
    name: String,
    commands: Vec<String>,
    criteria: Option<String>,
}

/// A specification and how it is written.
#[derive(Debug)]
pub(super) struct Model {
    id: Option<String>,
    title: Option<String>,
    workstreams: Vec<Workstream>,
    phases: Vec<Phase>,
    gates: Vec<Gate>,
    /// The workstreams that are complete and those that are deferred.
    completed: Vec<String>,
    dormant: Vec<String>,
    text: String,
}

impl Model {
    /// A model and its text.
    pub(super) fn choose(choices: &mut Choices<'_>) -> Self {
        let text = |choices: &mut Choices<'_>| {
            let is_there = choices.yes();
            is_there.then(|| choices.pick(TEXTS).to_owned())
        };
        let some = |from: &[&'static str], choices: &mut Choices<'_>| -> Vec<String> {
            let count = choices.below(4);
            (0..count).map(|_| choices.pick(from).to_owned()).collect()
        };
        let mut workstreams: Vec<Workstream> = Vec::new();
        for _ in 0..choices.below(MOST + 1) {
            let id = choices.pick(IDS);
            if workstreams.iter().any(|known| known.id == id) {
                continue;
            }
            let outputs = some(PATHS, choices).into_iter();
            workstreams.push(Workstream {
                id: id.to_owned(),
                name: text(choices),
                executor: text(choices),
                depends_on: some(IDS, choices),
                outputs: outputs.map(|path| (path, choices.pick(NOTES))).collect(),
                gates: some(GATES, choices),
            });
        }
        let phases = (0..choices.below(MOST)).map(|number| Phase {
            name: format!("Phase {number}"),
            workstreams: some(IDS, choices),
            gates: some(GATES, choices),
        });
        let phases = phases.collect();
        let mut gates: Vec<Gate> = Vec::new();
        for _ in 0..choices.below(MOST) {
            let name = choices.pick(GATES).to_owned();
            if gates.iter().all(|known| known.name != name) {
                gates.push(Gate {
                    name,
                    commands: some(TEXTS, choices),
                    criteria: text(choices),
                });
            }
        }
        let mut model = Self {
            id: text(choices),
            title: text(choices),
            workstreams,
            phases,
            gates,
            completed: some(IDS, choices),
            dormant: some(IDS, choices),
            text: String::new(),
        };
        model.text = Writer(choices).written(&model);
        model
    }

    /// Reads the text, and compares the result with the model.
    pub(super) fn compare(&self) {
        let read = Spec::from_bytes(self.text.as_bytes());
        let spec = read.unwrap_or_else(|error| panic!("{error}\n{}", self.text));
        let shown = || format!("{self:?}\n{}", self.text);
        assert_eq!(
            (&spec.id, &spec.title),
            (&self.id, &self.title),
            "{}",
            shown()
        );
        assert_eq!(
            spec.workstreams.len(),
            self.workstreams.len(),
            "{}",
            shown()
        );
        for (read, own) in spec.workstreams.iter().zip(&self.workstreams) {
            assert_eq!(read.id, own.id, "{}", shown());
            assert_eq!((&read.name, &read.executor), (&own.name, &own.executor));
            assert_eq!(names(&read.depends_on), own.depends_on, "{}", shown());
            assert_eq!(names(&read.gates), own.gates, "{}", shown());
            let outputs: Vec<&String> = own.outputs.iter().map(|(path, _)| path).collect();
            assert_eq!(
                read.outputs.iter().collect::<Vec<_>>(),
                outputs,
                "{}",
                shown()
            );
        }
        assert_eq!(spec.phases.len(), self.phases.len(), "{}", shown());
        for (read, own) in spec.phases.iter().zip(&self.phases) {
            assert_eq!(read.name, own.name, "{}", shown());
            assert_eq!(names(&read.workstreams), own.workstreams, "{}", shown());
            assert_eq!(names(&read.gates), own.gates, "{}", shown());
        }
        for (read, own) in spec.gates.iter().zip(&self.gates) {
            assert_eq!(
                (&read.name, &read.commands),
                (&own.name, &own.commands),
                "{}",
                shown()
            );
            assert_eq!(read.success_criteria, own.criteria, "{}", shown());
        }
        self.judged(&spec);
        self.scheduled(&spec);
    }

    /// Unknown dependencies and cycles are found, and only those.
    fn judged(&self, spec: &Spec) {
        let findings = check(spec, "spec.md");
        let has = |rule: &str| findings.iter().any(|finding| finding.rule == rule);
        let known: HashSet<&str> = self.workstreams.iter().map(|own| own.id.as_str()).collect();
        let all = || self.workstreams.iter().flat_map(|own| &own.depends_on);
        let is_unknown = all().any(|name| !known.contains(name.as_str()));
        assert_eq!(
            has("pipeline.unknown-dependency"),
            is_unknown,
            "{}",
            self.text
        );
        // Without cycles, all can be done one after the other.
        let mut done: HashSet<&str> = HashSet::new();
        for _ in &self.workstreams {
            let next = self.workstreams.iter().filter(|own| {
                let mut needed = own.depends_on.iter().map(String::as_str);
                needed.all(|name| done.contains(name) || !known.contains(name))
            });
            let next: Vec<&str> = next.map(|own| own.id.as_str()).collect();
            done.extend(next);
        }
        assert_eq!(
            has("pipeline.cycle"),
            done.len() < known.len(),
            "{}",
            self.text
        );
    }

    /// A workstream is ready if what it depends on, and everything in earlier phases, is complete. What is deferred
    /// does not hold back a phase.
    fn scheduled(&self, spec: &Spec) {
        // As chosen, and one after the other.
        let ids: Vec<String> = self.workstreams.iter().map(|own| own.id.clone()).collect();
        let in_order = (0..=ids.len()).map(|count| ids[..count].to_vec());
        for completed in in_order.chain([self.completed.clone()]) {
            let buckets = Buckets {
                completed,
                dormant: self.dormant.clone(),
                ..Buckets::default()
            };
            let schedule = schedule(spec, &buckets);
            assert_eq!(schedule.len(), self.workstreams.len());
            for (own, (id, readiness)) in self.workstreams.iter().zip(schedule) {
                assert_eq!(own.id, id);
                let is_ready = self.is_ready(own, &buckets);
                assert_eq!(
                    readiness == Readiness::Ready,
                    is_ready,
                    "{id} {buckets:?}\n{}",
                    self.text
                );
            }
        }
    }

    fn is_ready(&self, own: &Workstream, buckets: &Buckets) -> bool {
        let is_complete = |name: &String| buckets.completed.contains(name);
        let is_over = |name: &String| is_complete(name) || buckets.dormant.contains(name);
        let is_known = |name: &String| self.workstreams.iter().any(|known| known.id == *name);
        let has_it = |phase: &Phase| phase.workstreams.contains(&own.id);
        let phase = self.phases.iter().position(has_it).unwrap_or(0);
        let earlier = self.phases[..phase].iter();
        let mut earlier = earlier.flat_map(|phase| &phase.workstreams);
        !is_over(&own.id)
            && own.depends_on.iter().all(is_complete)
            && earlier.all(|name| !is_known(name) || is_over(name))
    }
}

fn names(references: &[Reference]) -> Vec<&str> {
    references
        .iter()
        .map(|reference| &*reference.name)
        .collect()
}

/// Writes a model, and chooses how.
struct Writer<'c, 'b>(&'c mut Choices<'b>);

impl Writer<'_, '_> {
    fn written(&mut self, model: &Model) -> String {
        let mut yaml = String::new();
        self.text(
            &mut yaml,
            "",
            &["prd", "id", "spec_id"],
            model.id.as_deref(),
        );
        self.text(
            &mut yaml,
            "",
            &["prd_title", "title"],
            model.title.as_deref(),
        );
        self.workstreams(&mut yaml, model);
        self.phases(&mut yaml, model);
        self.gates(&mut yaml, model);
        if self.0.yes() {
            yaml += "other: { keys: [are, ignored] } # and comments\n";
        }
        let text = match self.0.below(4) {
            0 => yaml,
            1 => format!("---\n{yaml}...\n# Not YAML: [\n"),
            2 => format!("---  \n{yaml}---\n\nProse: {{\n---\nmore: [\n"),
            _ => format!("\u{feff}---\n{yaml}---"),
        };
        match self.0.yes() {
            true => text.replace('\n', "\r\n"),
            false => text,
        }
    }

    /// A value in one of the forms that YAML has for it.
    fn scalar(&mut self, text: &str) -> String {
        let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-/. ".contains(c))
            && text != "null";
        match self.0.below(3) {
            0 if is_word => text.to_owned(),
            1 => format!("'{}'", text.replace('\'', "''")),
            _ => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }

    fn text(&mut self, out: &mut String, indent: &str, keys: &[&str], text: Option<&str>) {
        if let Some(text) = text {
            let (key, text) = (self.0.pick(keys), self.scalar(text));
            let _ = writeln!(out, "{indent}{key}: {text}");
        }
    }

    /// A list on one line or on several; a single value may stand for a list.
    fn list(&mut self, out: &mut String, indent: &str, keys: &[&str], items: &[String]) {
        let key = self.0.pick(keys);
        let values: Vec<String> = items.iter().map(|item| self.scalar(item)).collect();
        let _ = match (self.0.below(3), &values[..]) {
            (0, []) => Ok(()),
            (0, [only]) => writeln!(out, "{indent}{key}: {only}"),
            (1, [_, ..]) => {
                let separator = format!("\n{indent}  - ");
                writeln!(out, "{indent}{key}:{separator}{}", values.join(&separator))
            }
            _ => writeln!(out, "{indent}{key}: [{}]", values.join(", ")),
        };
    }

    fn workstreams(&mut self, out: &mut String, model: &Model) {
        if model.workstreams.is_empty() {
            *out += "workstreams: {}\n";
            return;
        }
        *out += "workstreams:\n";
        let is_list = self.0.yes();
        for own in &model.workstreams {
            let id = self.scalar(&own.id);
            let _ = match is_list {
                true => writeln!(out, "  - id: {id}"),
                false => writeln!(out, "  {id}:"),
            };
            let indent = "    ";
            self.text(out, indent, &["name", "title"], own.name.as_deref());
            self.text(out, indent, &["executor", "agent"], own.executor.as_deref());
            self.list(
                out,
                indent,
                &["depends_on", "dependencies"],
                &own.depends_on,
            );
            let outputs: Vec<String> = own
                .outputs
                .iter()
                .map(|(path, note)| format!("{path}{note}"))
                .collect();
            self.list(out, indent, &["outputs", "artifacts"], &outputs);
            self.list(out, indent, &["gate", "gates"], &own.gates);
        }
    }

    fn phases(&mut self, out: &mut String, model: &Model) {
        if model.phases.is_empty() {
            return;
        }
        *out += self.0.pick(&["execution_phases:\n", "phases:\n"]);
        let is_list = self.0.yes();
        for own in &model.phases {
            let name = self.scalar(&own.name);
            let _ = match is_list {
                true => writeln!(out, "  - name: {name}"),
                false => writeln!(out, "  {name}:"),
            };
            let is_flagged = self.0.yes();
            if is_flagged {
                *out += "    parallel: true\n";
            }
            let keys: &[&str] = if is_flagged {
                &["workstreams"]
            } else {
                &["parallel", "workstreams"]
            };
            self.list(out, "    ", keys, &own.workstreams);
            self.list(out, "    ", &["gates", "gate"], &own.gates);
        }
    }

    fn gates(&mut self, out: &mut String, model: &Model) {
        if model.gates.is_empty() {
            return;
        }
        *out += "gates:\n";
        let is_list = self.0.yes();
        for own in &model.gates {
            let name = self.scalar(&own.name);
            let _ = match is_list {
                true => writeln!(out, "  - name: {name}"),
                false => writeln!(out, "  {name}:"),
            };
            self.list(out, "    ", &["commands", "command"], &own.commands);
            self.text(
                out,
                "    ",
                &["success_criteria", "criteria"],
                own.criteria.as_deref(),
            );
        }
    }
}
