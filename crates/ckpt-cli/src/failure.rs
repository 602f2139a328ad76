//! Failures: the message, a hint on what to do next, and the exit code.

use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use ckpt::command::{Conflict, Refusal};
use ckpt::history::HistoryError;
use ckpt::key::{CommandKey, Key, KeyError};
use ckpt::layout::{PLAN_STATE_DIRECTORY, TRASH};
use ckpt::repository::RepositoryError;
use ckpt::seal::Unsealed;
use ckpt::voice::{first_names, name, quotes, shell_word, suggested};
use ckpt::workspace::{Problem, WorkspaceError};
use ckpt::{FileAction, StoreError, pipeline, plan};

use crate::render::style::one_line;
use crate::ui::Ui;

/// The exit codes, as documented in `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    Usage,
    NotFound,
    Invalid,
    Conflict,
    Blocked,
    Stale,
    AlreadyComplete,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Invalid => 4,
            Self::Conflict => 5,
            Self::Blocked => 6,
            Self::Stale => 7,
            Self::AlreadyComplete => 8,
        }
    }

    /// The `kind` in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Invalid => "invalid",
            Self::Conflict => "conflict",
            Self::Blocked => "blocked",
            Self::Stale => "stale",
            Self::AlreadyComplete => "already_complete",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    /// What failed, and why.
    message: String,
    /// What to do next, as a sentence.
    hint: Option<String>,
    /// The checkpoint that is not there.
    missing: Option<Key>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            hint: None,
            missing: None,
        }
    }

    pub(crate) fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::new(Exit::Failed, format!("{what}: {error}"))
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint.get_or_insert(hint.into());
        self
    }

    /// Whether what was named does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.exit == Exit::NotFound
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether a name leads to nothing, or to several things.
    pub(crate) fn is_about_a_name(&self) -> bool {
        matches!(self.exit, Exit::NotFound | Exit::Conflict)
    }

    /// The checkpoint that is not there, if that is why.
    pub(crate) fn missing(&self) -> Option<Key> {
        self.missing.clone()
    }

    /// The same failure in other words.
    #[must_use]
    pub(crate) fn saying(mut self, message: String) -> Self {
        self.message = message;
        self
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// What failed, and why.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Reports the failure as a note and, with `--json`, also as output.
    pub(crate) fn report(self, ui: &mut Ui, json: bool) -> Exit {
        let Self {
            exit,
            message,
            hint,
            ..
        } = self;
        let mut line = format!("error: {}", one_line(&message));
        if let Some(hint) = &hint {
            let hint = one_line(hint);
            let stop = if message.ends_with(['.', '?', '!']) {
                ""
            } else {
                "."
            };
            line = format!("{line}{stop} {hint}");
        }
        ui.note(&line);
        if json {
            let error = Reported {
                kind: exit.name(),
                exit: exit.code(),
                message: &message,
                hint: hint.as_deref(),
            };
            // There is no other place to report that printing failed.
            let _ = ui.json(&Report { error });
        }
        exit
    }
}

/// The `--json` report of a failure.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Failed"))]
pub(crate) struct Report<'r> {
    error: Reported<'r>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ReportedError"))]
struct Reported<'r> {
    kind: &'r str,
    /// The exit code.
    exit: u8,
    message: &'r str,
    hint: Option<&'r str>,
}

/// Why a listed item could not be read, and how to bring it back if it is damaged.
pub(crate) fn reason(problem: Problem) -> String {
    let is_corrupt = matches!(problem.error, WorkspaceError::Corrupt(_));
    let Failure { message, hint, .. } = problem.error.into();
    match hint.filter(|_| is_corrupt) {
        Some(hint) => format!("{message}. {hint}"),
        None => message,
    }
}

/// How to bring back a damaged file.
fn how_to_recover(path: &Path) -> String {
    format!(
        "Bring its last recorded content back with: ckpt recover {}; or fix the file",
        suggested(&name_of_file(path))
    )
}

/// The name of the checkpoint that a file belongs to.
fn name_of_file(path: &Path) -> String {
    let above = |levels: usize| path.ancestors().nth(levels).and_then(Path::file_name);
    if above(1) == Some(PLAN_STATE_DIRECTORY.as_ref()) {
        let id = above(2).unwrap_or_default();
        return id.to_string_lossy().into_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_pipeline = above(1) == Some("checkpoints".as_ref());
    let command = CommandKey::of_file(&stem, None, None).filter(|_| !is_pipeline);
    command.map_or_else(|| stem.into_owned(), |key| key.short())
}

/// The message of an error, followed by those of its sources.
fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!(": {cause}");
        source = cause.source();
    }
    message
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Repository(error) => error.into(),
            WorkspaceError::Store { purpose, source } => {
                let mut failure = Self::from(source);
                failure.message = format!("Failed to {purpose}: {}", failure.message);
                failure
            }
            WorkspaceError::Corrupt(error) => error.into(),
            WorkspaceError::Refused(refusal) => refusal.into(),
            WorkspaceError::Command(refusal) => refusal.into(),
            WorkspaceError::Plan(refusal) => refusal.into(),
            WorkspaceError::Pipeline(refusal) => refusal.into(),
            WorkspaceError::Key(error) => error.into(),
            other => Self::new(Exit::Failed, chain(&other)),
        }
    }
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        let failure = Self::new(Exit::Failed, chain(&error));
        match &error {
            RepositoryError::DubiousOwnership { root, .. } => {
                let root = shell_word(&root.display().to_string());
                failure.with_hint(format!(
                    "To trust this directory, run: git config --global --add safe.directory {root}"
                ))
            }
            RepositoryError::AnotherWorkTree { dot_git, leads_to } => {
                let tree = dot_git.parent().unwrap_or(dot_git);
                let word = |path: &Path| shell_word(&path.display().to_string());
                let is_worktree = leads_to.parent().and_then(Path::file_name);
                if is_worktree == Some("worktrees".as_ref()) {
                    return failure.with_hint(format!(
                        "If you moved the worktree here, run: git -C {} worktree repair",
                        word(tree)
                    ));
                }
                failure.with_hint(format!(
                    "If this is intended, set GIT_DIR={} and GIT_WORK_TREE={}",
                    word(dot_git),
                    word(tree)
                ))
            }
            RepositoryError::GitTooSlow { .. } => failure.with_hint(
                "Check what slows it down with: git status; allow more time with: ckpt config set --user git_timeout_ms N",
            ),
            _ => failure,
        }
    }
}

impl From<ckpt::Refusal> for Failure {
    fn from(refusal: ckpt::Refusal) -> Self {
        use ckpt::Refusal as Because;
        let message = refusal.to_string();
        match refusal {
            Because::Missing(key) => {
                let hint = match key {
                    Key::Plan(_) => "List all plans with: ckpt plan list",
                    _ => "List all checkpoints with: ckpt list",
                };
                Self {
                    missing: Some(key),
                    ..Self::new(Exit::NotFound, message).with_hint(hint)
                }
            }
            Because::AlreadyComplete(key) => {
                Self::new(Exit::AlreadyComplete, message).with_hint(again(&key))
            }
            Because::UnsupportedVersion { .. } => Self::new(Exit::Invalid, message)
                .with_hint("The file was not changed; a newer ckpt may support its version"),
            Because::Taken { .. } => {
                Self::new(Exit::Conflict, message).with_hint("Use another name")
            }
            Because::ReasonNeeded => Self::new(Exit::Usage, message),
            Because::NothingToAcknowledge { others, .. } => {
                let hint = match others.is_empty() {
                    true => "See the hazards with: ckpt resume".to_owned(),
                    false => format!("These can be acknowledged: {}", first_names(&others)),
                };
                Self::new(Exit::NotFound, message).with_hint(hint)
            }
            Because::NothingToAnswer { key, .. } => {
                Self::new(Exit::NotFound, message).with_hint(format!(
                    "See who waits with: ckpt resume {}",
                    suggested(&key.short())
                ))
            }
            Because::EndsAgain(Key::Pipeline(id)) => {
                Self::new(Exit::Invalid, message).with_hint(format!(
                    "End it again with: ckpt pipeline complete {0}, or ckpt pipeline abort {0} --reason TEXT",
                    suggested(id.as_str())
                ))
            }
            Because::EndsAgain(key) => Self::new(Exit::Invalid, message).with_hint(format!(
                "End it again with: ckpt complete {0}, or ckpt abandon {0} --reason TEXT",
                suggested(&key.short())
            )),
            Because::NothingBefore(key) => Self::new(Exit::NotFound, message).with_hint(format!(
                "See its history with: ckpt log {}",
                suggested(&key.short())
            )),
            Because::CreatedThen(key) => Self::new(Exit::Invalid, message).with_hint(format!(
                "Delete it with: ckpt delete {} --force",
                suggested(&key.short())
            )),
            Because::InFlight(key) => Self::new(Exit::Invalid, message).with_hint(format!(
                "Add --force, or end it first, as with: ckpt abandon {} --reason TEXT",
                suggested(&key.short())
            )),
            Because::GateStays(key) => Self::new(Exit::Blocked, message).with_hint(format!(
                "See it with: ckpt gate show {}",
                suggested(&key.short())
            )),
            Because::BlockStays(key) => Self::new(Exit::Blocked, message).with_hint(format!(
                "Settle it first; see it with: ckpt show {}",
                suggested(&key.short())
            )),
            Because::InTheWay(key) => Self::new(Exit::Conflict, message).with_hint(format!(
                "Archive or delete it first, as with: ckpt archive {} --force",
                suggested(&key.short())
            )),
            Because::FollowerTaken(name) => Self::new(Exit::Conflict, message).with_hint(format!(
                "Remove it first with: ckpt followers remove {name}"
            )),
            Because::GateReserved(_) => Self::new(Exit::Usage, message)
                .with_hint("Choose another name; wait for the preview with: ckpt ship preview KEY"),
            Because::NothingToKeepIn => Self::new(Exit::Invalid, message)
                .with_hint("Make it a git repository with: git init"),
            Because::SavedTwice { key, .. } => {
                Self::new(Exit::Conflict, message).with_hint(format!(
                    "Take over what the new one lacks; then: ckpt delete {} --force",
                    suggested(&key.short())
                ))
            }
            Because::NameTaken(_) => Self::new(Exit::Conflict, message)
                .with_hint("Nothing was written; choose another name"),
            Because::OtherKind { .. } => {
                Self::new(Exit::Usage, message).with_hint("Give it a name of its own kind")
            }
            Because::NoHistory(_) => Self::new(Exit::NotFound, message),
            _ => Self::new(Exit::Invalid, message),
        }
    }
}

/// How to reopen something that is finished.
fn again(key: &Key) -> String {
    match key {
        Key::Command(key) => {
            let words = [Some(key.command()), key.feature()].into_iter().flatten();
            let words: Vec<String> = words.map(suggested).collect();
            format!("Start over with: ckpt start {} --again", words.join(" "))
        }
        Key::Pipeline(id) => {
            let id = suggested(id.as_str());
            format!("Reopen it with: ckpt pipeline reopen {id}")
        }
        _ => format!("Look at it with: ckpt show {}", suggested(&key.short())),
    }
}

impl From<pipeline::Refusal> for Failure {
    fn from(refusal: pipeline::Refusal) -> Self {
        use pipeline::Refusal as Because;
        let message = refusal.to_string();
        match refusal {
            Because::Shared(refusal) => refusal.into(),
            Because::NoSpec(_) => Self::new(Exit::NotFound, message)
                .with_hint("Pass the path of an EXECUTION-SPEC: Markdown with YAML front matter"),
            Because::NotAllowed { id, status, action } => {
                let allowed = pipeline::Action::allowed(&status).join(", ");
                let way_out = match (action, status) {
                    (pipeline::Action::Complete, pipeline::Status::Initialized) => format!(
                        "; if it is not needed: ckpt abandon {} --reason TEXT",
                        suggested(&id)
                    ),
                    _ => String::new(),
                };
                Self::new(Exit::Invalid, message)
                    .with_hint(format!("Allowed now: {allowed}{way_out}"))
            }
            Because::UnknownWorkstream { id, .. } | Because::UnknownGate { id, .. } => {
                Self::new(Exit::NotFound, message)
                    .with_hint(format!("List workstreams and gates with: ckpt pipeline show {}", suggested(&id)))
            }
            Because::Waits { id, .. } => Self::new(Exit::Invalid, message).with_hint(format!(
                "See what can start with: ckpt pipeline next {}; or start it anyway with --anyway",
                suggested(&id)
            )),
            Because::ReviewBlocks { id, .. } => Self::new(Exit::Blocked, message).with_hint(format!(
                "Review it again, or override with: ckpt pipeline review {} overridden --reason TEXT",
                suggested(&id)
            )),
            Because::ReviewNeeded(id) => Self::new(Exit::Blocked, message).with_hint(format!(
                "Record it with: ckpt pipeline review {} VERDICT",
                suggested(&id)
            )),
            Because::SpecUnknown(id) | Because::SeveralSpecs { id, .. } => Self::new(Exit::Invalid, message)
                .with_hint(format!("Name it with: ckpt pipeline sync {} SPEC", suggested(&id))),
            Because::NotStarted { .. } => Self::new(Exit::Invalid, message)
                .with_hint("Start the workstream first, with: ckpt pipeline start ID WORKSTREAM"),
            Because::Spec { .. } => Self::new(Exit::Invalid, message).with_hint(
                "An EXECUTION-SPEC starts with YAML front matter between two --- lines, which lists \"workstreams\"",
            ),
            Because::StillFailed(id) => Self::new(Exit::Invalid, message).with_hint(format!(
                "Repair it, then run: ckpt pipeline fixed {}",
                suggested(&id)
            )),
            Because::Aborted(id) => Self::new(Exit::Invalid, message).with_hint(format!(
                "Take it up again with: ckpt pipeline fixed {}",
                suggested(&id)
            )),
            Because::GateOfOthers { .. } => {
                Self::new(Exit::Invalid, message).with_hint("Name one of them with --for")
            }
            Because::SpecNotAccepted { id, .. } => {
                let id = suggested(&id);
                Self::new(Exit::Blocked, message).with_hint(format!(
                    "Review its gates with: ckpt pipeline show {id}; then accept it with: ckpt pipeline sync {id}"
                ))
            }
            Because::SpecOutside(_) => Self::new(Exit::Invalid, message)
                .with_hint("Move it into the repository, then run: ckpt pipeline init SPEC"),
            Because::SpecUnusable { .. } => Self::new(Exit::NotFound, message)
                .with_hint("Restore the file, or fix it"),
            Because::NotSpecified { id, .. } => Self::new(Exit::Invalid, message).with_hint(format!(
                "Add it back to the specification, then run: ckpt pipeline sync {}",
                suggested(&id)
            )),
            Because::Unfinished { id, .. } => Self::new(Exit::Invalid, message).with_hint(format!(
                "Finish or defer the workstreams; run the gates, or mark them as passed with: ckpt pipeline gate pass {} GATE",
                suggested(&id)
            )),
            Because::GatesPending { id, .. } => Self::new(Exit::Blocked, message).with_hint(format!(
                "Run them with: ckpt pipeline gate run {0} GATE; or abandon the pipeline with: ckpt abandon {0} --reason TEXT",
                suggested(&id)
            )),
            Because::NothingToRun(gate) => Self::new(Exit::Invalid, message).with_hint(format!(
                "Give it a command, or mark it as passed with: ckpt pipeline gate pass ID {}",
                suggested(&gate)
            )),
            Because::NoMoreReviews(id) => {
                let id = suggested(&id);
                Self::new(Exit::Invalid, message).with_hint(format!(
                    "Override it with: ckpt pipeline review {id} overridden --reason TEXT, or abort the pipeline with: ckpt pipeline abort {id} --reason TEXT"
                ))
            }
            Because::MessageNeeded => {
                Self::new(Exit::Usage, message).with_hint("Say what went wrong with --message TEXT")
            }
            Because::OtherSpec { path, other, .. } => {
                Self::new(Exit::Invalid, message).with_hint(format!(
                    "Use it for that one with: ckpt pipeline sync {} {}",
                    suggested(&other),
                    suggested(&path)
                ))
            }
            _ => Self::new(Exit::Invalid, message),
        }
    }
}

impl From<plan::Refusal> for Failure {
    fn from(refusal: plan::Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            plan::Refusal::Shared(refusal) => refusal.into(),
            plan::Refusal::ChangedSince { .. } => Self::new(Exit::Conflict, message)
                .with_hint("See who changed it with: ckpt log; change it back by hand"),
            plan::Refusal::Unknown { .. } => Self::new(Exit::NotFound, message).with_hint(
                "List all ids with: ckpt plan show; add missing ids with: ckpt plan mark",
            ),
            plan::Refusal::UnknownPhase(_) => {
                Self::new(Exit::NotFound, message).with_hint("List all phases with: ckpt plan show")
            }
            plan::Refusal::UnknownBlocker { present, .. } if present.is_empty() => {
                Self::new(Exit::NotFound, message).with_hint("The plan has no blockers")
            }
            plan::Refusal::UnknownBlocker { present, .. } => Self::new(Exit::NotFound, message)
                .with_hint(format!("The plan's blockers: {}", quotes(&present))),
            plan::Refusal::AmbiguousBlocker { matching, .. } => Self::new(Exit::Invalid, message)
                .with_hint(format!("Use one of: {}", quotes(&matching))),
            plan::Refusal::Dormant { branch, .. } => {
                let hint = format!("Switch to it with: git switch {}", suggested(&branch));
                Self::new(Exit::NotFound, message).with_hint(hint)
            }
            plan::Refusal::Conflict { .. } => {
                Self::new(Exit::Invalid, message).with_hint("Resolve it first")
            }
            plan::Refusal::Unfinished { id, .. } => {
                Self::new(Exit::Invalid, message).with_hint(format!(
                    "Finish it, see ckpt plan next --plan {}; or close it anyway with --force",
                    suggested(id.as_str())
                ))
            }
            plan::Refusal::Exists(_) => {
                Self::new(Exit::Conflict, message).with_hint("Choose another title")
            }
            plan::Refusal::Claimed { .. } => Self::new(Exit::Conflict, message)
                .with_hint("Find another task with: ckpt plan next"),
            plan::Refusal::ClaimedByOther { .. } => Self::new(Exit::Conflict, message)
                .with_hint("If it is done all the same, add --force"),
            plan::Refusal::AlreadyDone(_) => Self::new(Exit::AlreadyComplete, message)
                .with_hint("Find another task with: ckpt plan next"),
            plan::Refusal::NotClaimed { holder, .. } => {
                let failure = Self::new(Exit::Invalid, message);
                match holder {
                    Some(holder) => failure.with_hint(format!(
                        "{} has claimed it; pass that name with --by",
                        name(&holder)
                    )),
                    None => failure.with_hint("Nobody has claimed it"),
                }
            }
            plan::Refusal::ClaimedElsewhere { .. } => Self::new(Exit::Invalid, message)
                .with_hint("A claim is released in the worktree where it was made"),
            _ => Self::new(Exit::Invalid, message),
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        let exit = match error {
            KeyError::Ambiguous { .. } => Exit::Conflict,
            KeyError::Near { .. } => Exit::NotFound,
            _ => Exit::Usage,
        };
        let failure = Self::new(exit, error.to_string());
        match error {
            KeyError::Near {
                near, may_be_new, ..
            } => failure.with_hint(did_you_mean(&near, may_be_new)),
            KeyError::Plan(_) | KeyError::Pipeline(_) | KeyError::Hidden(..) => failure,
            KeyError::Ambiguous { .. } => failure.with_hint("Name one of these"),
            KeyError::Kind(kind, name) if kind == "plan" => failure.with_hint(format!(
                "Tick its tasks with: ckpt plan done TASK --plan {}",
                suggested(&name)
            )),
            KeyError::Kind(kind, name) if kind == "pipeline" => {
                let name = suggested(&name);
                failure.with_hint(format!(
                    "Record its workstreams with: ckpt pipeline start {name} WORKSTREAM, and done in place of start"
                ))
            }
            _ => failure.with_hint(
                "Name a checkpoint as COMMAND or COMMAND/FEATURE, such as implement/auth",
            ),
        }
    }
}

/// The question that follows a name which may be a typing error.
pub(crate) fn did_you_mean(near: &[String], may_be_new: bool) -> String {
    let near: Vec<String> = near.iter().map(|name| suggested(name)).collect();
    let question = format!("Did you mean {}?", near.join(" or "));
    match may_be_new {
        true => format!("{question} If it is really new, add --new"),
        false => question,
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (message, is_busy) = (chain(&error), error.is_busy());
        match error {
            StoreError::Lock(_) if is_busy => Self::new(Exit::Conflict, message).with_hint(
                "Try again. The lock goes with that process, so end it if it hangs, and leave the lock file alone",
            ),
            StoreError::LockedByGit { .. } => Self::new(Exit::Conflict, message).with_hint(
                "Try again; if no git is running, remove that file, which a git that crashed has left",
            ),
            _ if is_busy => Self::new(Exit::Conflict, message)
                .with_hint("Nothing was changed; try again once it has saved"),
            StoreError::Corrupt { path, .. } => {
                Self::new(Exit::Invalid, message).with_hint(how_to_recover(&path))
            }
            StoreError::Link { .. } => Self::new(Exit::Failed, message).with_hint(
                "Remove the link, or allow links with: ckpt config set --user follow_symlinks true",
            ),
            StoreError::IntoGit { .. } => {
                Self::new(Exit::Failed, message).with_hint("Remove the link")
            }
            StoreError::Archive { path, .. } => {
                let mut above = path.ancestors().skip(2);
                let is_deleted = above.next().is_some_and(|above| above.ends_with(TRASH));
                Self::new(Exit::Invalid, message).with_hint(match is_deleted {
                    true => "Nothing was changed; the file stays as it is",
                    false => "Nothing was changed; see what is left, and free its name, with: ckpt recover",
                })
            }
            StoreError::Io { action, source, .. } => {
                let failure = Self::new(Exit::Failed, message);
                match way_past(action, source.kind()) {
                    Some(hint) => failure.with_hint(hint),
                    None => failure,
                }
            }
            StoreError::Unsealable(Unsealed::Malformed { .. }) => Self::new(Exit::Failed, message)
                .with_hint("Nothing was changed; create a new key with: ckpt doctor --new-key"),
            StoreError::Unsealable(_) => Self::new(Exit::Failed, message)
                .with_hint("Nothing was changed; try again where the git directory can be written"),
            StoreError::Unchecked(_) => Self::new(Exit::Failed, message)
                .with_hint("Nothing was changed; try again once the key can be read"),
            StoreError::History(HistoryError::Unknown { name, .. }) => {
                let hint = format!("List the revisions with: ckpt log {}", suggested(&name));
                Self::new(Exit::NotFound, message).with_hint(hint)
            }
            StoreError::History(HistoryError::Damaged { name, .. }) => {
                let hint = format!("List the revisions with: ckpt log {}", suggested(&name));
                Self::new(Exit::Invalid, message).with_hint(hint)
            }
            _ => Self::new(Exit::Failed, message),
        }
    }
}

/// What to do where the system refuses to do something with a file.
fn way_past(action: FileAction, refused: ErrorKind) -> Option<&'static str> {
    match (refused, action) {
        (ErrorKind::PermissionDenied, FileAction::Read | FileAction::Inspect) => {
            Some("Give this user the right to read it, then run this again")
        }
        (ErrorKind::PermissionDenied, _) => {
            Some("Give this user the right to write there, then run this again")
        }
        (ErrorKind::ReadOnlyFilesystem, _) => {
            Some("Make that file system writable, then run this again")
        }
        (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, _) => {
            Some("Free some space there, then run this again")
        }
        _ => None,
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            Refusal::Shared(refusal) => refusal.into(),
            Refusal::NothingToComplete => {
                Self::new(Exit::NotFound, message).with_hint("List all checkpoints with: ckpt list")
            }
            Refusal::SummaryTooLong { .. } => {
                Self::new(Exit::Invalid, message).with_hint("Shorten it; nothing was saved")
            }
            Refusal::NotMergeable { .. } => Self::new(Exit::Invalid, message)
                .with_hint("Nothing was changed; see what is wrong with: ckpt validate"),
            Refusal::OtherIssue { .. } => Self::new(Exit::Invalid, message)
                .with_hint("Nothing was changed; start another feature for the other issue"),
            Refusal::NoCommit => {
                Self::new(Exit::Invalid, message).with_hint("Commit something first")
            }
            Refusal::Misnamed { .. } => Self::new(Exit::Conflict, message)
                .with_hint("Save it under its own name, or change its command and feature members"),
            Refusal::Conflict(conflicts) => {
                let place = |conflict: &Conflict| match conflict.pointer.to_string() {
                    pointer if pointer.is_empty() => "the whole document".to_owned(),
                    pointer => pointer,
                };
                let places: Vec<_> = conflicts.iter().map(place).collect();
                Self::new(Exit::Conflict, message).with_hint(format!(
                    "Both sides changed {}; reload it and repeat the change",
                    places.join(", ")
                ))
            }
            Refusal::NamelessPhase => {
                Self::new(Exit::Usage, message).with_hint("Write: ckpt phase KEY PHASE STATUS")
            }
            Refusal::NearPhase { near, .. } => {
                Self::new(Exit::NotFound, message).with_hint(did_you_mean(&near, true))
            }
            Refusal::Unfinished { .. } => Self::new(Exit::Invalid, message)
                .with_hint("Finish or skip them; or complete it anyway with --force"),
            _ => Self::new(Exit::Invalid, message),
        }
    }
}
