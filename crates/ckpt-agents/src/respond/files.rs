//! Follows edited files: plans are synced, checkpoints edited by hand are recorded, and a moved HEAD is reported.

use std::path::{Component, Path, PathBuf};

use ckpt::Lifecycle;
use ckpt::gate::Proof;
use ckpt::key::PlanId;
use ckpt::layout::{PLAN_STATE_DIRECTORY, PLAN_STATE_FILE};
use ckpt::repository::CommitId;
use ckpt::voice::{name, names, quote, suggested};
use ckpt::workspace::{Absorbed, Depth};

use super::{Actor, Done};

/// How many findings of a checkpoint edited by hand are listed.
const MOST_FINDINGS: usize = 10;

/// Who edited a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Editor {
    /// The agent whose event this is.
    ThisAgent,
    /// Nobody was seen, so it is credited to the agent whose event this is.
    Unknown,
    /// It may have been another agent, so it is credited to nobody.
    Nobody,
}

impl Actor<'_> {
    /// Syncs the state of a plan with its Markdown where they differ. Skips what is not a plan yet.
    pub(super) fn follow(&self, id: &PlanId, editor: Editor) -> Done {
        let plan = self.workspace.plan(id);
        // A plan that was just edited is read only once, under the lock. Others take the lock only if they must.
        if !plan.is_edited_since() && (plan.is_followed()? || plan.is_no_plan_yet()) {
            return Ok(());
        }
        let synced = match editor {
            Editor::ThisAgent => plan.sync_own_edit(),
            Editor::Unknown => plan.sync(),
            Editor::Nobody => plan.heal(),
        };
        match synced {
            Ok(_) => Ok(()),
            // The last state stays valid until the plan can be read again; its history records this.
            Err(error) if error.is_unparsable() || error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The path of a file relative to a directory, if it is inside. Resolves links only if the paths alone do not tell.
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

    /// The plans that these files belong to, without duplicates.
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

    /// Records checkpoints edited by hand, and reports problems in them.
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

    /// Whether git stopped in the middle of a rebase, a merge or the like. What it left in a plan is not the work of
    /// anybody, and the command that finishes the operation brings the rest.
    pub(super) fn is_git_at_work(&self) -> bool {
        let unfinished = self.workspace.repository().unfinished();
        unfinished.is_some_and(|unfinished| unfinished.operation.comes_first())
    }

    /// Reports what became stale if HEAD moved.
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
        let (summaries, _) = self.workspace.list(Depth::Full)?;
        let mut stale = Vec::new();
        for summary in summaries {
            if summary.lifecycle != Lifecycle::InFlight {
                continue;
            }
            let gates = summary.gates.iter();
            let moved: Vec<&str> = gates
                .filter(|gate| matches!(gate.proof, Proof::OlderContent))
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
                "HEAD moved from {} to {}. Saved or proven at an earlier commit, so possibly out of date: {}.",
                short(before),
                short(head),
                stale.join(", ")
            ));
        }
        Ok(())
    }
}

/// How [`Absorbed::name`] begins for the state of a plan.
const STATE_OF: &str = "state.json of ";

/// The problems of a checkpoint that was edited by hand; empty if there are none.
fn told(absorbed: &Absorbed) -> String {
    let word = suggested(&absorbed.name);
    let name = match absorbed.name.strip_prefix(STATE_OF) {
        Some(plan) => format!("{STATE_OF}{}", name(plan)),
        None => name(&absorbed.name).into_owned(),
    };
    if let Some(broken) = &absorbed.broken {
        let broken = quote(broken);
        return format!(
            "{name} is no longer valid JSON: {broken}. Its last valid state is in its history."
        );
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
        more => format!("\nand {more} more. List all with: ckpt validate {word}"),
    };
    let shown = &lines[..lines.len().min(MOST_FINDINGS)];
    format!(
        "{name} was edited by hand. Problems found:\n{}{more}",
        shown.join("\n")
    )
}

/// The path with links resolved; unchanged if it does not exist.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The plan whose state file this is, given a path relative to the plans directory.
fn plan_of_state(below: &Path) -> Option<PlanId> {
    let mut parts = below.components().map(Component::as_os_str);
    let id = parts.next()?.to_str()?;
    let rest: PathBuf = parts.collect();
    let state = Path::new(PLAN_STATE_DIRECTORY).join(PLAN_STATE_FILE);
    (rest == state).then(|| PlanId::new(id).ok()).flatten()
}
