//! EXECUTION-SPEC: any text is read or refused with a place inside it, and a specification that was written from a model
//! is read as that model.
//!
//! Each input is used twice: as the bytes of a file, and as choices of a model and of its spelling.

mod model;

use std::time::{Duration, Instant};

use ckpt::pipeline::{Position, Spec, check};

use self::model::Model;
use crate::choices::Choices;

/// How long reading may take, even with a sanitizer on a busy machine. Inputs are a few kilobytes long.
const LONGEST: Duration = Duration::from_secs(5);

/// Reads a specification.
pub fn run(bytes: &[u8]) {
    let begun = Instant::now();
    any(bytes);
    assert!(begun.elapsed() < LONGEST, "took {:?}", begun.elapsed());
    let model = Model::choose(&mut Choices::new(bytes));
    model.compare();
}

fn any(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines = Lines::of(&text);
    let spec = match Spec::from_bytes(bytes) {
        Ok(spec) => spec,
        Err(error) => {
            assert!(lines.have(error.position), "{error} in {text:?}");
            assert!(!error.message.is_empty());
            return;
        }
    };
    assert!(spec.values() <= Spec::MOST_VALUES);
    for (at, workstream) in spec.workstreams.iter().enumerate() {
        assert!(lines.have(workstream.position), "{workstream:?}");
        let same = spec
            .workstreams
            .iter()
            .filter(|other| other.id == workstream.id);
        assert_eq!(same.count(), 1, "an id is defined once");
        let found = spec.workstream(&workstream.id);
        assert!(found.is_some_and(|found| std::ptr::eq(found, &spec.workstreams[at])));
        for reference in workstream.depends_on.iter().chain(&workstream.gates) {
            assert!(lines.have(reference.position), "{reference:?}");
        }
        assert!(workstream.outputs.iter().all(|output| !output.is_empty()));
    }
    for phase in &spec.phases {
        assert!(lines.have(phase.position), "{phase:?}");
    }
    let of_workstreams = spec.workstreams.iter().flat_map(|known| &known.gates);
    let of_phases = spec.phases.iter().flat_map(|phase| &phase.gates);
    for named in of_workstreams.chain(of_phases) {
        assert!(spec.gate(&named.name).is_some(), "{named:?}");
    }
    for gate in &spec.gates {
        assert!(lines.have(gate.position), "{gate:?}");
    }
    for finding in check(&spec, "spec.md") {
        let position = Position {
            line: finding.line,
            column: finding.column.unwrap_or(1),
        };
        assert!(lines.have(position), "{finding:?}");
    }
}

/// The lengths of the lines of a text, in characters.
struct Lines {
    /// If only a line feed ends a line, as for editors.
    of_editors: Vec<usize>,
    /// If a carriage return does too, as in YAML.
    of_yaml: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lengths = |text: &str| text.split('\n').map(|line| line.chars().count()).collect();
        Self {
            of_editors: lengths(text),
            of_yaml: lengths(&text.replace("\r\n", "\n").replace('\r', "\n")),
        }
    }

    /// Whether a position is in the text or directly after one of its lines. The YAML parser ends the last line of a
    /// text if the text does not, so the end of the text may be on a line of its own.
    fn have(&self, position: Position) -> bool {
        let Position { line, column } = position;
        [&self.of_editors, &self.of_yaml].into_iter().any(|lines| {
            let length = line.checked_sub(1).and_then(|at| lines.get(at));
            let is_after_all = (line, column) == (lines.len() + 1, 1);
            is_after_all || length.is_some_and(|length| (1..=length + 1).contains(&column))
        })
    }
}
