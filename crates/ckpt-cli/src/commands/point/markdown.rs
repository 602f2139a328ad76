//! Markdown files that are compared with a plan.

use std::path::Path;

use ckpt::document::Document;
use ckpt::key::Key;
use ckpt::layout::PLAN_FILE;
use ckpt::plan::Outline;
use ckpt::voice::{name, path_name, suggested};
use ckpt::workspace::PlanVersion;

use super::super::input::Named;
use super::Version;
use crate::failure::{Exit, Failure};
use crate::session::Session;

impl Version {
    /// A Markdown file as the plan.md of a plan that has no state.
    pub(super) fn of_markdown(
        session: &Session,
        path: &Path,
        outline: &Outline,
    ) -> Result<Self, Failure> {
        let shown = path_name(path);
        if outline.tasks().next().is_none() {
            let message = format!("{shown} is Markdown without tasks, so it is not compared");
            let hint =
                "Name the Markdown of a plan, or compare texts with: git diff --no-index A B";
            return Err(Failure::new(Exit::Usage, message).with_hint(hint));
        }
        let text = Named::new(session, path).require()?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            name: shown,
            document: Document::empty(),
            plan: Some(PlanVersion {
                texts: vec![(file.into_owned(), text)],
                state: None,
            }),
            is_markdown: true,
        })
    }

    /// Both sides, ready to be compared. If one of them is a Markdown file, the other is reduced to the file that it stands
    /// for: the one of its name, or plan.md.
    pub(crate) fn side_by_side(key: &Key, old: Self, new: Self) -> Result<(Self, Self), Failure> {
        let mut sides = [old, new];
        if sides.iter().any(|side| side.is_markdown) {
            let file = file_of(&sides);
            for side in &mut sides {
                side.reduce_to(key, &file)?;
            }
        }
        Ok(sides.into())
    }

    fn reduce_to(&mut self, key: &Key, file: &str) -> Result<(), Failure> {
        let Some(plan) = &mut self.plan else {
            let other = match key {
                Key::Plan(_) => self.name.clone(),
                _ => key.short(),
            };
            let message = format!(
                "Markdown is compared with plans, and {} is none",
                name(&other)
            );
            return Err(Failure::new(Exit::Usage, message).with_hint(format!(
                "Show what changed last in {} with: ckpt diff {}",
                name(&key.short()),
                suggested(&key.short())
            )));
        };
        match (self.is_markdown, plan.texts.first_mut()) {
            (true, Some((own, _))) => file.clone_into(own),
            _ => plan.texts.retain(|(known, _)| known == file),
        }
        plan.state = None;
        self.document = Document::empty();
        Ok(())
    }
}

/// The file of a plan that Markdown stands for.
fn file_of(sides: &[Version]) -> String {
    let names = |is_markdown: bool| -> Vec<&String> {
        let these = sides.iter().filter(|side| side.is_markdown == is_markdown);
        let plans = these.filter_map(|side| side.plan.as_ref());
        let texts = plans.flat_map(|plan| &plan.texts);
        texts.map(|(name, _)| name).collect()
    };
    let known = names(false);
    let shared = names(true).into_iter().find(|name| known.contains(name));
    shared.map_or_else(|| PLAN_FILE.to_owned(), Clone::clone)
}

/// Refuses a Markdown file in the place of a checkpoint.
pub(crate) fn refuse_markdown(session: &Session, typed: &str) -> Result<(), Failure> {
    let path = Path::new(typed);
    let is_markdown = path.extension().is_some_and(|ending| ending == "md");
    if !is_markdown || !session.directory.join(path).is_file() {
        return Ok(());
    }
    let active = session.workspace.active_plan()?;
    let plan = active.map_or_else(|| "PLAN".to_owned(), |active| active.id.to_string());
    let message = format!("{} is a file, and no checkpoint", path_name(path));
    Err(Failure::new(Exit::Usage, message).with_hint(format!(
        "Compare it with a plan: ckpt diff {} {}",
        suggested(&plan),
        suggested(typed)
    )))
}
