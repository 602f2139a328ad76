//! What was edited, and what a command has changed.

use std::path::{Component, Path, PathBuf};

use ckpt::Lifecycle;
use ckpt::gate::Proof;
use ckpt::key::PlanId;
use ckpt::layout::{PLAN_STATE_DIRECTORY, PLAN_STATE_FILE};
use ckpt::repository::CommitId;
use ckpt::voice::{name, names, quote, suggested};
use ckpt::workspace::Absorbed;

use super::{Actor, Done};

/// So many findings of a checkpoint written by hand are told.
const MOST_FINDINGS: usize = 10;

impl Actor<'_> {
    /// Brings the state of a plan into agreement with its Markdown, if it is not. What is no plan yet is left alone.
    pub(super) fn follow(&self, id: &PlanId) -> Done {
        let plan = self.workspace.plan(id);
        // What was just edited is read once, under the lock. The rest takes no lock where it need not.
        if !plan.is_edited_since() && (plan.is_followed()? || plan.is_no_plan_yet()) {
            return Ok(());
        }
        match plan.sync() {
            Ok(_) => Ok(()),
            // Its state stands for it until it can be read again, and its history says so.
            Err(error) if error.is_unparsable() || error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The part of a path below a directory. Mostly it can be seen; else both are looked at without links.
    pub(super) fn below(&self, file: &Path, directory: &Path) -> Option<PathBuf> {
        let here = self.event.directory.as_deref().unwrap_or(Path::new("."));
        let file = here.join(file);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if let Ok(below) = file.strip_prefix(directory)
            && below.components().all(is_plain)
        {
            return Some(below.to_owned());
        }
        let file = resolved(&file);
        file.strip_prefix(resolved(directory))
            .ok()
            .map(Path::to_owned)
    }

    /// The plans that files belong to, each once.
    pub(super) fn plans_of(&self, files: &[PathBuf]) -> Vec<PlanId> {
        let plans = self.workspace.plans_directory();
        let mut ids: Vec<PlanId> = Vec::new();
        for file in files {
            let Some(below) = self.below(file, &plans) else {
                continue;
            };
            let mut parts = below.components().map(Component::as_os_str);
            let id = parts.next().and_then(|id| PlanId::new(id.to_str()?).ok());
            let is_markdown = below.extension().is_some_and(|extension| extension == "md");
            if let (Some(id), Some(_), None, true) = (id, parts.next(), parts.next(), is_markdown)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        ids
    }

    /// Takes over what was written by hand, and says what is wrong with it.
    pub(super) fn absorb(&mut self, files: &[PathBuf]) -> Done {
        let plans = self.workspace.plans_directory();
        for file in files {
            let below = self.below(file, &plans);
            let id = below.as_deref().and_then(plan_of_state);
            if let Some(id) = id {
                let absorbed = self.workspace.plan(&id).absorb_state()?;
                self.say_lines(&told(&absorbed));
            }
        }
        for directory in [
            self.workspace.state_directory(),
            self.workspace.pipelines_directory(),
        ] {
            for file in files {
                let Some(name) = self.below(file, &directory) else {
                    continue;
                };
                if let Some(absorbed) = self.workspace.absorb(&directory.join(name))? {
                    self.say_lines(&told(&absorbed));
                }
            }
        }
        Ok(())
    }

    /// Says what another commit makes stale.
    pub(super) fn look_at_head(&mut self) -> Done {
        let session = self.event.session.as_deref();
        let Some(record) = session.and_then(|session| self.workspace.sessions().get(session))
        else {
            return Ok(());
        };
        let head = self.workspace.head().commit;
        let head = head.as_ref().map(CommitId::as_str);
        if head.is_none() || record.head.as_deref() == head {
            return Ok(());
        }
        let before = self.remember(|record| record.look_at(head))?.flatten();
        if let (Some(before), Some(head)) = (before, head) {
            self.tell_stale(&before, head)?;
        }
        Ok(())
    }

    pub(super) fn tell_stale(&mut self, before: &str, head: &str) -> Done {
        let (summaries, _) = self.workspace.list()?;
        let mut stale = Vec::new();
        for summary in summaries {
            if summary.lifecycle != Lifecycle::InFlight {
                continue;
            }
            let gates = summary.gates.iter();
            let moved: Vec<&str> = gates
                .filter(|gate| matches!(gate.proof, Proof::Stale | Proof::Unchecked))
                .map(|gate| gate.gate.as_str())
                .collect();
            let key = summary.key.short();
            match (summary.stale.is_some(), moved.is_empty()) {
                (_, false) => {
                    let gates = names(&moved);
                    stale.push(format!("{} (gates {gates})", name(&key)));
                }
                (true, true) => stale.push(name(&key).into_owned()),
                (false, true) => {}
            }
        }
        if !stale.is_empty() {
            let short = |commit: &str| commit.chars().take(8).collect::<String>();
            self.say(&format!(
                "HEAD moved from {} to {}. Saved or proven before that: {}.",
                short(before),
                short(head),
                stale.join(", ")
            ));
        }
        Ok(())
    }
}

/// What the state of a plan is called.
const STATE_OF: &str = "state.json of ";

/// What is wrong with a checkpoint that was written by hand, if anything is.
fn told(absorbed: &Absorbed) -> String {
    let word = suggested(&absorbed.name);
    let name = match absorbed.name.strip_prefix(STATE_OF) {
        Some(plan) => format!("{STATE_OF}{}", name(plan)),
        None => name(&absorbed.name).into_owned(),
    };
    if let Some(broken) = &absorbed.broken {
        let broken = quote(broken);
        return format!("{name} is no JSON now: {broken}. The state before is in its history.");
    }
    let findings = absorbed.findings.iter();
    let lines: Vec<String> = findings
        .map(|finding| quote(&finding.to_string()))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = match lines.len().saturating_sub(MOST_FINDINGS) {
        0 => String::new(),
        more => format!("\nand {more} more: ckpt validate {word}"),
    };
    let shown = &lines[..lines.len().min(MOST_FINDINGS)];
    format!(
        "{name} as it was written by hand:\n{}{more}",
        shown.join("\n")
    )
}

/// The path without links, where it is there.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The plan whose state a path below the directory of plans is.
fn plan_of_state(below: &Path) -> Option<PlanId> {
    let mut parts = below.components().map(Component::as_os_str);
    let id = parts.next()?.to_str()?;
    let rest: PathBuf = parts.collect();
    let state = Path::new(PLAN_STATE_DIRECTORY).join(PLAN_STATE_FILE);
    (rest == state).then(|| PlanId::new(id).ok()).flatten()
}
