//! The issue of a checkpoint, and its branch.

use ckpt::integrations::BRANCH_PREFIX;
use ckpt::issue::IssueId;
use ckpt::key::CommandKey;
use ckpt::voice::{quote, suggested};

use crate::failure::{Exit, Failure};
use crate::services::Services;
use crate::session::Session;
use crate::ui::Ui;

/// An issue, with the name that its branch has or should have.
#[derive(Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct IssueBranch {
    pub(super) id: IssueId,
    branch: String,
    /// Whether this command creates the branch.
    #[serde(rename = "created")]
    pub(super) is_created: bool,
    /// Whether it is checked out.
    #[serde(skip)]
    is_current: bool,
}

impl IssueBranch {
    /// The issue and its branch. If the branch is wanted and cannot be had, that is known before anything is changed.
    pub(super) fn of(
        ui: &Ui,
        session: &Session,
        key: &CommandKey,
        typed: &str,
        is_wanted: bool,
    ) -> Result<Self, Failure> {
        let id = IssueId::parse(typed).map_err(|error| {
            Failure::new(
                Exit::Usage,
                format!("{} is no issue: {error}", quote(typed)),
            )
        })?;
        let prefix = match Services::open(session, ui.variables()) {
            Ok(services) => services.integrations.linear.branch_prefix,
            Err(failure) if is_wanted => return Err(failure),
            Err(failure) => {
                ui.note(&format!("warning: {}", failure.message()));
                BRANCH_PREFIX.to_owned()
            }
        };
        let branch = id.branch(&prefix, key.feature());
        let is_current = session.workspace.head().branch.as_ref() == Some(&branch);
        let is_created = is_wanted && !is_current;
        if is_created {
            ensure_free(session, &branch)?;
        }
        Ok(Self {
            id,
            branch,
            is_created,
            is_current,
        })
    }

    /// Creates the branch and switches to it. The checkpoint is there already, and stays if git refuses.
    pub(super) fn switch(&self, session: &Session, key: &CommandKey) -> Result<(), Failure> {
        let started = session.workspace.repository().start_branch(&self.branch);
        started.map_err(|error| {
            Failure::from(error).with_hint(format!(
                "{} is started all the same; create the branch with: git switch -c {}",
                suggested(&key.short()),
                suggested(&self.branch)
            ))
        })
    }

    pub(super) fn in_words(&self) -> String {
        let Self { id, branch, .. } = self;
        match (self.is_created, self.is_current) {
            (true, _) => format!("issue {id}, on the new branch {branch}\n"),
            (false, true) => format!("issue {id}, on its branch {branch}\n"),
            (false, false) => {
                format!("issue {id}; create its branch with: git switch -c {branch}\n")
            }
        }
    }
}

/// Refuses a branch that cannot be created.
fn ensure_free(session: &Session, branch: &str) -> Result<(), Failure> {
    let repository = session.workspace.repository();
    if !repository.is_git() {
        let message = "there is no git repository to create a branch in";
        return Err(Failure::new(Exit::Invalid, message)
            .with_hint("Make one with: git init; or leave out --branch"));
    }
    match repository.branch_tip(branch) {
        Some(_) => {
            let message = format!("the branch {branch} exists already");
            Err(Failure::new(Exit::Conflict, message)
                .with_hint(format!("Switch to it with: git switch {branch}")))
        }
        None => Ok(()),
    }
}
