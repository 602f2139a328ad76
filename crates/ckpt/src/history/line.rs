//! One line of a history.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Epoch, Event, EventName, FileChange, Revision, Transition, words};
use crate::document::{self, Document, Edit, Node, Object, ParseError, Value};
use crate::seal::{SEAL, Sealer};
use crate::time::Timestamp;

/// The member that names the revision which made way for what another program wrote.
pub(crate) const REBASES: &str = "rebases";

/// The member with the exact name of the revision that was taken back, or with a list of them.
pub(crate) const EXACT: &str = "exact";

/// The member that says that the history itself was brought back, from its copy.
pub(crate) const FROM_COPY: &str = "history";

/// The longest line that is read.
pub(super) const MAX_LINE: usize = 48 * 1024 * 1024;

/// The largest whole content that is recorded: escaping can double its length, and the line must stay readable.
pub(crate) const MAX_RECORDED: usize = 20 * 1024 * 1024;

/// The rest of a line, besides its event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'e> {
    pub(crate) time: Timestamp,
    pub(crate) number: u64,
    pub(crate) epoch: &'e Epoch,
    pub(crate) by: &'e str,
    pub(crate) at: &'e Whereabouts,
    /// On the first line of a change: its effect on the files.
    pub(crate) files: &'e [FileChange],
}

/// Where the work was when something happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// The agent's session.
    pub(crate) session: Option<String>,
    /// The branch that was checked out.
    pub(crate) branch: Option<String>,
    /// The commit that was checked out.
    pub(crate) head: Option<String>,
}

/// Writes a line: time, event and details, author, whereabouts and revision, the commit and the files (on the first line
/// of a change), and last the seal.
pub(crate) fn write_line(out: &mut String, event: &Event, entry: Entry<'_>, sealer: Sealer<'_>) {
    let Entry {
        time,
        number,
        epoch,
        by,
        at,
        files,
    } = entry;
    let mut line = Object::new();
    line.set("ts", time);
    line.set("event", event.name);
    for (name, value) in event.fields.iter() {
        line.set(name, value.clone());
    }
    line.set("rev", number);
    line.set("epoch", epoch.to_string());
    // An event may name its own author.
    if event.fields.get("by").is_none() {
        line.set("by", by);
    }
    let head = at.head.as_ref().filter(|_| !files.is_empty());
    for (name, value) in [
        ("session", at.session.as_ref()),
        ("branch", at.branch.as_ref()),
        ("head", head),
    ] {
        if let Some(value) = value {
            line.set(name, value.as_str());
        }
    }
    if !files.is_empty() {
        let files = files
            .iter()
            .map(|file| (file.name.as_str(), file.to_value()));
        line.set("files", files.collect::<Object>());
    }
    sealer.seal(&mut line);
    out.push_str(&Value::Object(line).to_compact());
    out.push('\n');
}

/// A parsed line.
#[derive(Debug, Clone)]
pub struct Line(Document);

impl Line {
    /// Parses a line.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, ParseError> {
        Document::from_bytes_up_to(bytes, MAX_LINE).map(Self)
    }

    /// Whether we wrote it, with the key we hold now.
    #[must_use]
    pub fn is_vouched(&self, sealer: Sealer<'_>) -> bool {
        sealer.vouches(self.0.root())
    }

    /// Whether it says what we did: it carries our seal, or there is no key that could tell.
    pub(crate) fn counts(&self, sealer: Sealer<'_>) -> bool {
        self.is_vouched(sealer) || !sealer.has_key()
    }

    /// Whether it carries no seal, of any key.
    pub(crate) fn is_without_seal(&self) -> bool {
        self.0.root().get(SEAL).is_none()
    }

    /// Whether it was changed after we have sealed it.
    pub(crate) fn is_altered(&self, sealer: Sealer<'_>) -> bool {
        sealer.contradicts(self.0.root())
    }

    /// Whether it claims to be ours: other writers know nothing of revisions.
    #[must_use]
    pub fn claims_to_be_ours(&self) -> bool {
        self.number().is_some() || self.0.root().get("files").is_some()
    }

    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.0.root().get(name)?.as_str()
    }

    /// When it happened, as written.
    #[must_use]
    pub fn time(&self) -> Option<Cow<'_, str>> {
        self.text("ts")
    }

    /// The event's name, whoever wrote it.
    #[must_use]
    pub fn event(&self) -> Option<Cow<'_, str>> {
        self.text("event")
    }

    /// The event, if it is one of ours.
    #[must_use]
    pub fn event_name(&self) -> Option<EventName> {
        EventName::parse(&self.event()?)
    }

    /// The author.
    #[must_use]
    pub fn by(&self) -> Option<Cow<'_, str>> {
        self.text("by")
    }

    /// The session it happened in.
    #[must_use]
    pub fn session(&self) -> Option<Cow<'_, str>> {
        self.text("session")
    }

    /// The branch it happened on.
    #[must_use]
    pub fn branch(&self) -> Option<Cow<'_, str>> {
        self.text("branch")
    }

    /// The commit it happened at; only on lines that begin a change.
    #[must_use]
    pub fn head(&self) -> Option<Cow<'_, str>> {
        self.text("head")
    }

    /// The number of its revision; lines of other writers have none.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.0.root().get("rev")?.as_u64()
    }

    /// Its revision.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        Some(Revision {
            number: self.number()?,
            epoch: self.epoch(),
        })
    }

    /// Its epoch.
    #[must_use]
    pub fn epoch(&self) -> Option<Epoch> {
        Epoch::read(&self.text("epoch")?)
    }

    /// The revision that it marks as aborted.
    #[must_use]
    pub fn aborted(&self) -> Option<Revision> {
        if self.event_name()? != EventName::Aborted {
            return None;
        }
        let number = self.0.root().get(EventName::Aborted.as_str())?.as_u64()?;
        Some(Revision {
            number,
            epoch: self.epoch(),
        })
    }

    /// The revision that it took back; a number alone means one of the same epoch.
    #[must_use]
    pub fn undone(&self) -> Option<Revision> {
        if self.event_name()? != EventName::Undone {
            return None;
        }
        let number = self.0.root().get(EventName::Undone.as_str())?.as_u64()?;
        let exact = self.text(EXACT).and_then(|exact| exact.parse().ok());
        Some(exact.unwrap_or(Revision {
            number,
            epoch: self.epoch(),
        }))
    }

    /// All revisions that it took back.
    #[must_use]
    pub fn taken_back(&self) -> Vec<Revision> {
        if let Some(revision) = self.undone() {
            return vec![revision];
        }
        if self.event_name() != Some(EventName::Undone) {
            return Vec::new();
        }
        let list = |name: &str| {
            let list = self.0.root().get(name).into_iter();
            list.flat_map(document::Node::items)
        };
        let exact = list(EXACT).filter_map(|name| name.as_str()?.parse().ok());
        let exact: Vec<Revision> = exact.collect();
        if !exact.is_empty() {
            return exact;
        }
        let numbers = list("revisions").filter_map(document::Node::as_u64);
        let revisions = numbers.map(|number| Revision {
            number,
            epoch: self.epoch(),
        });
        revisions.collect()
    }

    /// The revision that made way for what another program wrote, which this line records.
    pub(crate) fn rebases(&self) -> Option<u64> {
        self.0.root().get(REBASES)?.as_u64()
    }

    /// Whether it says that the lines before it were taken from the copy of a lost history.
    pub(super) fn says_it_was_copied(&self) -> bool {
        self.event_name() == Some(EventName::Recovered)
            && self.0.root().get(FROM_COPY).and_then(Node::as_bool) == Some(true)
    }

    /// Whether it says that its document was gone from its place and was brought back.
    pub(super) fn says_it_was_brought_back(&self) -> bool {
        let event = self.event_name();
        matches!(event, Some(EventName::Recovered | EventName::Unarchived))
    }

    /// The change of each file; `None` on lines that do not begin a change.
    #[must_use]
    pub fn files(&self) -> Option<Vec<FileChange>> {
        let files = self.0.root().get("files")?;
        let files = files.members();
        let changes = files
            .iter()
            .map(|(name, node)| FileChange::read(name, *node));
        changes.collect()
    }

    /// The change of one file; `None` if the line does not mention it.
    pub(super) fn file(&self, name: &str) -> Option<FileChange> {
        FileChange::read(name, self.0.root().get("files")?.get(name)?)
    }

    /// What a person would say that it says: the texts among its details, and those that the change brought into its files.
    /// The names of members are not said, nor are times and checksums.
    pub fn said(&self) -> impl Iterator<Item = String> {
        let mut said = Vec::new();
        for (_, value) in self.facts() {
            words::in_tree(value, &mut said);
        }
        // A fork repeats what the history of its origin says.
        let files = match self.event_name() {
            Some(EventName::Forked) => None,
            _ => self.files(),
        };
        for file in files.unwrap_or_default() {
            if let Transition::Edit(edit) = &file.transition {
                said.extend(brought(edit, &file.name));
            }
        }
        said.into_iter()
    }

    /// The event's details: everything but time, event, author, whereabouts, revision, files and seal.
    #[must_use]
    pub fn facts(&self) -> Vec<(Cow<'_, str>, document::Node<'_>)> {
        const OURS: [&str; 10] = [
            "ts", "event", "rev", "epoch", "by", "session", "branch", "head", "files", SEAL,
        ];
        let mut members = self.0.root().members();
        members.retain(|(name, _)| !OURS.contains(&name.as_ref()));
        members
    }

    /// The line as written.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.0.text()
    }
}

/// The texts that an edit of a file brings, without those that it only replaces by themselves.
fn brought(edit: &Edit, name: &str) -> Vec<String> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for splice in edit.splices() {
        for (bytes, texts) in [(&splice.old, &mut before), (&splice.new, &mut after)] {
            let text = String::from_utf8_lossy(bytes);
            match name.ends_with(".json") {
                true => words::in_json(&text, texts),
                false => texts.push(text.into_owned()),
            }
        }
    }
    let before: HashSet<String> = before.into_iter().collect();
    after.retain(|text| !before.contains(text));
    after
}
