//! Checking a plan and all its files.

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::known::backup_path;
use super::{PlanCheckpoint, PlanView};
use std::ffi::OsStr;

use crate::finding::{Finding, Severity};
use crate::key::Key;
use crate::layout::{PLAN_BACKUP_FILE, PLAN_STATE_FILE};
use crate::plan;

impl PlanCheckpoint<'_> {
    /// Problems found in a plan.
    pub fn findings(&self, view: &PlanView) -> Result<Vec<Finding>, WorkspaceError> {
        let mut findings = markdown(view);
        findings.extend(self.judge_state(view)?);
        findings.extend(self.judge_backup()?);
        findings.extend(self.judge_orphans(view));
        Ok(findings)
    }

    fn judge_state(&self, view: &PlanView) -> Result<Vec<Finding>, WorkspaceError> {
        if view.rebuilt.is_some() {
            let message = "cannot be read; the next change restores it from its backup and history";
            return Ok(vec![about(
                PLAN_STATE_FILE,
                Severity::Error,
                "plan.state",
                message,
            )]);
        }
        let Some(loaded) = self.workspace.load(&Key::Plan(view.id.clone()))? else {
            return Ok(Vec::new());
        };
        let judged = plan::judge_state(&loaded.document).into_iter();
        let mut findings: Vec<_> = judged
            .map(|finding| finding.in_file(PLAN_STATE_FILE))
            .collect();
        if view.moved && view.unparsable.is_none() {
            let message = "the plan has changed since; update the state with: ckpt plan sync";
            findings.push(about(
                PLAN_STATE_FILE,
                Severity::Warning,
                "plan.behind",
                message,
            ));
        }
        Ok(findings)
    }

    /// Texts that were saved while a change was interrupted. Each may be the only copy of an edit.
    fn judge_orphans(&self, view: &PlanView) -> Vec<Finding> {
        let directory = self.workspace.layout.plan_directory(&view.id);
        let orphans = view.files.iter().flat_map(|file| {
            let prefix = format!("{file}.orphan-");
            self.workspace
                .store
                .beside(&directory.join(file), OsStr::new(&prefix))
        });
        let named = orphans.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let message = "was saved while a change was interrupted and may be the only copy of an edit: copy what is missing into the plan, then delete it";
        named
            .map(|name| about(&name, Severity::Warning, "plan.orphan", message))
            .collect()
    }

    fn judge_backup(&self) -> Result<Vec<Finding>, WorkspaceError> {
        let backup = self.workspace.store.read(&backup_path(&self.place()));
        let backup = backup.map_err(|error| Purpose::Load.failed(error))?;
        let unreadable = backup.is_some_and(|backup| plan::Backup::read(&backup).is_none());
        let message = "is not a valid backup; the next backup replaces it and keeps this one aside";
        let finding = about(PLAN_BACKUP_FILE, Severity::Warning, "plan.backup", message);
        Ok(unreadable.then_some(finding).into_iter().collect())
    }
}

fn markdown(view: &PlanView) -> Vec<Finding> {
    if view.dormant_on.is_some() {
        return Vec::new();
    }
    let Some(why) = view.unusable() else {
        return plan::judge_markdown(&view.outline, &view.files);
    };
    let message = format!(
        "{why}; the last state is still used. {}",
        why.remedy(&view.id)
    );
    vec![about(
        why.file(),
        Severity::Error,
        "plan.unparsable",
        message,
    )]
}

/// A finding about a file as a whole.
fn about(
    file: &str,
    severity: Severity,
    rule: &'static str,
    message: impl Into<String>,
) -> Finding {
    Finding::in_text((file, 0), severity, rule, message)
}
