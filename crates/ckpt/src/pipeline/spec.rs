//! EXECUTION-SPEC: the specification of a pipeline, as YAML front matter of a Markdown file.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::yaml::{Content, MAX_NODES, Yaml};
use crate::key::Meaning;

/// The line before and after the front matter.
const FENCE: &str = "---";

/// The maximum number of (gate, workstream) pairs over all phases: each gate of a phase concerns each of its
/// workstreams.
const MAX_PAIRS: usize = 200_000;

/// A position in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A specification that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
pub struct SpecError {
    /// Where the error is.
    pub position: Position,
    /// What is wrong.
    pub message: String,
}

/// A workstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workstream {
    /// Its id, such as `WS1`.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Who does it.
    pub executor: Option<String>,
    /// The workstreams that must be complete before it starts.
    pub depends_on: Vec<Reference>,
    /// The files it produces, without notes after the path.
    pub outputs: Vec<String>,
    /// The gates it must pass.
    pub gates: Vec<Reference>,
    /// Where it is defined.
    pub position: Position,
}

/// A name, and where it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// Where it occurs.
    pub position: Position,
}

/// Workstreams that may run in parallel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecPhase {
    /// Its name.
    pub name: String,
    /// Its workstreams.
    pub workstreams: Vec<Reference>,
    /// The gates after them.
    pub gates: Vec<Reference>,
    /// Where it is defined.
    pub position: Position,
}

/// The definition of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateDefinition {
    /// Its name.
    pub name: String,
    /// Its commands, in order; empty if only a person can judge it.
    pub commands: Vec<String>,
    /// What must hold, in words.
    pub success_criteria: Option<String>,
    /// Where it is defined.
    pub position: Position,
}

/// A name that nothing reads, and that is spelled like one that something reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// What it names: `key` or `gate`.
    pub noun: &'static str,
    /// The name.
    pub name: Reference,
    /// What is probably meant.
    pub meant: String,
}

/// The keys that are read at each level, and some that are often there for people.
const ROOT_KEYS: &[&str] = &[
    "prd",
    "prd_id",
    "id",
    "spec_id",
    "specId",
    "prd_title",
    "title",
    "name",
    "workstreams",
    "execution_phases",
    "phases",
    "gates",
    "phase",
    "date",
];
const WORKSTREAM_KEYS: &[&str] = &[
    "id",
    "name",
    "title",
    "description",
    "executor",
    "executor_type",
    "agent",
    "depends_on",
    "dependencies",
    "outputs",
    "artifacts",
    "files",
    "gate",
    "gates",
    "estimated_complexity",
];
const PHASE_KEYS: &[&str] = &[
    "id",
    "name",
    "parallel",
    "workstreams",
    "sequential",
    "gates",
    "gate",
    "description",
];
const GATE_KEYS: &[&str] = &[
    "id",
    "name",
    "gate",
    "command",
    "commands",
    "success_criteria",
    "criteria",
    "description",
];

/// The maximum number of unknown keys that are compared with known ones.
const MOST_COMPARED: usize = 500;

/// The specification of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spec {
    /// Its own id.
    pub id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its workstreams, in order.
    pub workstreams: Vec<Workstream>,
    /// Its phases, in order.
    pub phases: Vec<SpecPhase>,
    /// Its gates, in order: those that are defined, then those that are only named.
    pub gates: Vec<GateDefinition>,
    /// Names that are probably typing errors.
    pub suspects: Vec<Suspect>,
    /// How many values it was read from, with aliases expanded.
    values: usize,
    /// The position of each workstream, by id.
    workstream_positions: HashMap<String, usize>,
    /// The position of each gate, by name.
    gate_positions: HashMap<String, usize>,
}

impl Spec {
    /// Reads the bytes of a file, which must be UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SpecError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let last = before.rsplit('\n').next().unwrap_or_default();
            SpecError {
                position: Position {
                    line: before.matches('\n').count() + 1,
                    column: last.chars().count() + 1,
                },
                message: "this byte is not valid UTF-8".to_owned(),
            }
        })?;
        Self::read(text)
    }

    /// Reads a specification: Markdown with front matter, or YAML alone.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (yaml, first_line) = front_matter(text)?;
        let root = Yaml::parse(yaml, first_line)?;
        if !matches!(root.content, Content::Map(_)) {
            let message = format!("a specification must be a map, not {}", root.noun());
            return Err(at(&root, message));
        }
        let workstreams = workstreams(&root)?;
        let phases = phases(&root)?;
        let mut spec = Self {
            id: text_of(&root, &["prd", "prd_id", "id", "spec_id", "specId"]),
            title: text_of(&root, &["prd_title", "title", "name"]),
            gates: gates(&root)?,
            suspects: Vec::new(),
            values: root.values(),
            workstream_positions: positions(workstreams.iter().map(|known| &known.id)),
            gate_positions: HashMap::new(),
            workstreams,
            phases,
        };
        spec.suspects = suspects(&root);
        spec.suspect_gates();
        spec.add_named_gates();
        spec.gate_positions = positions(spec.gates.iter().map(|gate| &gate.name));
        Ok(spec)
    }

    /// The maximum number of values in a specification.
    pub const MOST_VALUES: usize = MAX_NODES;

    /// How many values it was read from, with aliases expanded.
    #[must_use]
    pub fn values(&self) -> usize {
        self.values
    }

    /// The workstream with this id.
    #[must_use]
    pub fn workstream(&self, id: &str) -> Option<&Workstream> {
        let position = self.workstream_positions.get(id)?;
        Some(&self.workstreams[*position])
    }

    /// The gate with this name.
    #[must_use]
    pub fn gate(&self, name: &str) -> Option<&GateDefinition> {
        let position = self.gate_positions.get(name)?;
        Some(&self.gates[*position])
    }

    /// The position of the phase that a workstream belongs to.
    #[must_use]
    pub fn phase_of(&self, workstream: &str) -> Option<usize> {
        let belongs = |phase: &SpecPhase| {
            let mut names = phase.workstreams.iter();
            names.any(|reference| reference.name == workstream)
        };
        self.phases.iter().position(belongs)
    }

    /// Finds gates that are named without a definition and spelled like one that is defined.
    fn suspect_gates(&mut self) {
        let defined: Vec<(&str, &str)> = self
            .gates
            .iter()
            .map(|gate| (&*gate.name, &*gate.name))
            .collect();
        let known: HashSet<&str> = defined.iter().map(|(name, _)| *name).collect();
        let of_phases = self.phases.iter().flat_map(|phase| &phase.gates);
        let of_workstreams = self.workstreams.iter().flat_map(|known| &known.gates);
        let named = of_phases.chain(of_workstreams);
        let unknown = named.filter(|reference| !known.contains(reference.name.as_str()));
        let found: Vec<Suspect> = unknown
            .take(MOST_COMPARED)
            .filter_map(|reference| suspect("gate", reference, &defined))
            .collect();
        self.suspects.extend(found);
    }

    /// Adds gates that a workstream or phase names without a definition: a person can still say that they passed.
    fn add_named_gates(&mut self) {
        let of_phases = self.phases.iter().flat_map(|phase| &phase.gates);
        let of_workstreams = self.workstreams.iter().flat_map(|known| &known.gates);
        let named = of_phases.chain(of_workstreams);
        let mut known: HashSet<&str> = self.gates.iter().map(|gate| gate.name.as_str()).collect();
        let new: Vec<GateDefinition> = named
            .filter(|reference| known.insert(&reference.name))
            .map(|reference| GateDefinition {
                name: reference.name.clone(),
                commands: Vec::new(),
                success_criteria: None,
                position: reference.position,
            })
            .collect();
        self.gates.extend(new);
    }
}

/// A name that is probably one of these, if it is.
fn suspect(noun: &'static str, name: &Reference, known: &[(&str, &str)]) -> Option<Suspect> {
    let Meaning::Near(near) = Meaning::of(&name.name, known) else {
        return None;
    };
    Some(Suspect {
        noun,
        name: name.clone(),
        meant: (*near.first()?).to_owned(),
    })
}

/// Keys that are probably typing errors, wherever they are.
fn suspects(root: &Yaml) -> Vec<Suspect> {
    let mut found = Vec::new();
    let mut left = MOST_COMPARED;
    let mut look = |map: &Yaml, keys: &[&str]| {
        for (key, _) in map.members() {
            let Some(name) = key.as_str().filter(|name| !keys.contains(name)) else {
                continue;
            };
            if left == 0 {
                return;
            }
            left -= 1;
            let known: Vec<(&str, &str)> = keys.iter().map(|key| (*key, *key)).collect();
            let name = Reference {
                name: name.to_owned(),
                position: key.position,
            };
            found.extend(suspect("key", &name, &known));
        }
    };
    look(root, ROOT_KEYS);
    let bodies = |names: &[&str]| -> Vec<&Yaml> {
        match root.first(names).map(|yaml| &yaml.content) {
            Some(Content::Map(members)) => members.iter().map(|(_, body)| body).collect(),
            Some(Content::List(items)) => items.iter().collect(),
            _ => Vec::new(),
        }
    };
    for (holder, keys) in [
        (&["workstreams"][..], WORKSTREAM_KEYS),
        (&["execution_phases", "phases"], PHASE_KEYS),
        (&["gates"], GATE_KEYS),
    ] {
        for body in bodies(holder) {
            look(body, keys);
        }
    }
    found
}

/// The first position of each name.
fn positions<'n>(names: impl Iterator<Item = &'n String>) -> HashMap<String, usize> {
    let mut positions = HashMap::new();
    for (position, name) in names.enumerate() {
        positions.entry(name.clone()).or_insert(position);
    }
    positions
}

fn at(yaml: &Yaml, message: impl Into<String>) -> SpecError {
    SpecError {
        position: yaml.position,
        message: message.into(),
    }
}

/// The YAML of a file and the line it starts on. A file without a fence is all YAML.
fn front_matter(text: &str) -> Result<(&str, usize), SpecError> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        return Ok((text, 1));
    }
    let start = first.len();
    let mut end = start;
    for line in lines {
        if matches!(line.trim_end(), FENCE | "...") {
            return Ok((&text[start..end], 2));
        }
        end += line.len();
    }
    Err(SpecError {
        position: Position { line: 1, column: 1 },
        message: "the front matter is not closed: there is no second line of ---".to_owned(),
    })
}

fn text_of(yaml: &Yaml, names: &[&str]) -> Option<String> {
    let text = yaml.first(names)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Named entries: a map from ids to definitions, or a list of maps with an id.
fn entries<'y>(
    yaml: &'y Yaml,
    id: &[&str],
) -> Result<Vec<(String, &'y Yaml, Position)>, SpecError> {
    match &yaml.content {
        Content::Null => Ok(Vec::new()),
        Content::Map(members) => {
            let named = members.iter().map(|(key, value)| match key.as_str() {
                Some(name) => Ok((name.to_owned(), value, key.position)),
                None => Err(at(
                    key,
                    format!("an id must be a single value, not {}", key.noun()),
                )),
            });
            named.collect()
        }
        Content::List(items) => {
            let named = items.iter().map(|item| match text_of(item, id) {
                Some(name) => Ok((name, item, item.position)),
                None => Err(at(
                    item,
                    format!("each entry of this list needs \"{}\"", id[0]),
                )),
            });
            named.collect()
        }
        Content::Scalar(_) => Err(at(yaml, "this must be a map or a list, not a value")),
    }
}

/// Names in a list, or a single name; an entry may be a map with an id.
fn references(yaml: Option<&Yaml>) -> Result<Vec<Reference>, SpecError> {
    let items = yaml.map(Yaml::items).unwrap_or_default();
    let mut references = Vec::new();
    for item in items {
        if item.content == Content::Null {
            continue;
        }
        let name = match item.as_str() {
            Some(name) => Some(name.trim().to_owned()),
            None => text_of(item, &["id", "name", "workstream", "gate"]),
        };
        references.push(Reference {
            name: name.ok_or_else(|| at(item, format!("expected a name, not {}", item.noun())))?,
            position: item.position,
        });
    }
    Ok(references)
}

fn workstreams(root: &Yaml) -> Result<Vec<Workstream>, SpecError> {
    let Some(yaml) = root.first(&["workstreams"]) else {
        return Err(at(root, "\"workstreams\" is missing"));
    };
    let mut seen = HashSet::new();
    let mut workstreams = Vec::new();
    for (id, body, position) in entries(yaml, &["id"])? {
        if !seen.insert(id.clone()) {
            let message = format!("workstream {id} is defined twice");
            return Err(SpecError { position, message });
        }
        let outputs = body.first(&["outputs", "artifacts", "files"]);
        let outputs = references(outputs)?.into_iter();
        workstreams.push(Workstream {
            name: text_of(body, &["name", "title"]),
            description: text_of(body, &["description"]),
            executor: text_of(body, &["executor", "agent"]),
            depends_on: references(body.first(&["depends_on", "dependencies"]))?,
            outputs: outputs
                .map(|output| without_note(&output.name).to_owned())
                .filter(|output| !output.is_empty())
                .collect(),
            gates: references(body.first(&["gate", "gates"]))?,
            id,
            position,
        });
    }
    Ok(workstreams)
}

fn phases(root: &Yaml) -> Result<Vec<SpecPhase>, SpecError> {
    let Some(yaml) = root.first(&["execution_phases", "phases"]) else {
        return Ok(Vec::new());
    };
    let bodies: Vec<(Option<&str>, &Yaml)> = match &yaml.content {
        Content::Map(members) => {
            let members = members.iter();
            members.map(|(key, body)| (key.as_str(), body)).collect()
        }
        _ => yaml.items().into_iter().map(|body| (None, body)).collect(),
    };
    let mut pairs = 0;
    let phases = bodies.into_iter().enumerate().map(|(number, (key, body))| {
        let name = text_of(body, &["name"]).or(key.map(str::to_owned));
        // A phase given as a bare list contains only workstreams.
        let workstreams = match &body.content {
            Content::List(_) => Some(body),
            // `parallel` may also only say that the workstreams run side by side.
            _ => ["parallel", "workstreams", "sequential"]
                .iter()
                .filter_map(|name| body.first(&[name]))
                .find(|list| !is_flag(list)),
        };
        let workstreams = references(workstreams)?;
        let gates = references(body.first(&["gates", "gate"]))?;
        pairs += workstreams.len() * gates.len();
        if pairs > MAX_PAIRS {
            let message =
                format!("the phases have more than {MAX_PAIRS} pairs of gate and workstream");
            return Err(at(body, message));
        }
        Ok(SpecPhase {
            name: name.unwrap_or_else(|| format!("Phase {}", number + 1)),
            workstreams,
            gates,
            position: body.position,
        })
    });
    phases.collect()
}

fn is_flag(yaml: &Yaml) -> bool {
    matches!(yaml.as_str(), Some("true" | "false" | "yes" | "no"))
}

fn gates(root: &Yaml) -> Result<Vec<GateDefinition>, SpecError> {
    let Some(yaml) = root.first(&["gates"]) else {
        return Ok(Vec::new());
    };
    let mut gates: Vec<GateDefinition> = Vec::new();
    for (name, body, position) in entries(yaml, &["name", "id", "gate"])? {
        let commands = match body.content {
            Content::Scalar(_) => Some(body),
            _ => body.first(&["commands", "command"]),
        };
        let commands = references(commands)?.into_iter();
        let criteria = body.first(&["success_criteria", "criteria"]);
        let criteria: Vec<String> = references(criteria)?
            .into_iter()
            .map(|reference| reference.name)
            .collect();
        gates.push(GateDefinition {
            name,
            commands: commands
                .map(|command| command.name)
                .filter(|command| !command.is_empty())
                .collect(),
            success_criteria: (!criteria.is_empty()).then(|| criteria.join("; ")),
            position,
        });
    }
    Ok(gates)
}

/// Removes a note after the path, as in `path (NEW)` and `path  # Modified`.
fn without_note(output: &str) -> &str {
    let path = match output.find(" #") {
        Some(comment) => &output[..comment],
        None => output,
    };
    let path = path.trim_end();
    match (path.ends_with(')'), path.rfind(" (")) {
        (true, Some(note)) => path[..note].trim_end(),
        _ => path,
    }
}
