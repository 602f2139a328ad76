//! One line of a history.

use std::borrow::Cow;

use super::{Epoch, Event, EventName, FileChange, Revision};
use crate::document::{self, Document, Object, ParseError, Value};
use crate::seal::{SEAL, Sealer};
use crate::time::Timestamp;

/// Lines are read up to this length.
pub(super) const MAX_LINE: usize = 48 * 1024 * 1024;

/// Whole contents are recorded up to this length: escaping can make them twice as long, and a line must be readable.
pub(crate) const MAX_RECORDED: usize = 20 * 1024 * 1024;

/// What a line says besides its event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'e> {
    pub(crate) time: Timestamp,
    pub(crate) number: u64,
    pub(crate) epoch: &'e Epoch,
    pub(crate) by: &'e str,
    /// On the first line of a change: what it does to the files.
    pub(crate) files: &'e [FileChange],
}

/// Writes a line: time, event, what there is to say, then who and which revision, then, on the
/// first line of a change, the files, and last the seal.
pub(crate) fn write_line(out: &mut String, event: &Event, entry: Entry<'_>, sealer: Sealer<'_>) {
    let Entry {
        time,
        number,
        epoch,
        by,
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
    // An event may say itself whose doing it is.
    if event.fields.get("by").is_none() {
        line.set("by", by);
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

/// A line that was read.
#[derive(Debug, Clone)]
pub struct Line(Document);

impl Line {
    /// Reads a line.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, ParseError> {
        Document::from_bytes_up_to(bytes, MAX_LINE).map(Self)
    }

    /// Whether we wrote it, with the key that we have now.
    #[must_use]
    pub fn is_vouched(&self, sealer: Sealer<'_>) -> bool {
        sealer.vouches(self.0.root())
    }

    /// Whether it says that it is one of ours: other writers know nothing of revisions.
    #[must_use]
    pub fn claims_to_be_ours(&self) -> bool {
        self.number().is_some() || self.0.root().get("files").is_some()
    }

    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.0.root().get(name)?.as_str()
    }

    /// When it happened, as it is written.
    #[must_use]
    pub fn time(&self) -> Option<Cow<'_, str>> {
        self.text("ts")
    }

    /// What happened, in whatever words.
    #[must_use]
    pub fn event(&self) -> Option<Cow<'_, str>> {
        self.text("event")
    }

    /// What happened, where it is one of our own events.
    #[must_use]
    pub fn event_name(&self) -> Option<EventName> {
        EventName::parse(&self.event()?)
    }

    /// Who did it.
    #[must_use]
    pub fn by(&self) -> Option<Cow<'_, str>> {
        self.text("by")
    }

    /// The number of the revision it belongs to; lines of other writers have none.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.0.root().get("rev")?.as_u64()
    }

    /// The revision it belongs to.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        Some(Revision {
            number: self.number()?,
            epoch: self.epoch(),
        })
    }

    /// The epoch it belongs to.
    #[must_use]
    pub fn epoch(&self) -> Option<Epoch> {
        Epoch::read(&self.text("epoch")?)
    }

    /// The revision that it says never took effect.
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

    /// What the change did to the files; `None` on lines that do not begin a change.
    #[must_use]
    pub fn files(&self) -> Option<Vec<FileChange>> {
        let files = self.0.root().get("files")?;
        let files = files.members();
        let changes = files
            .iter()
            .map(|(name, node)| FileChange::read(name, *node));
        changes.collect()
    }

    /// What the change did to one file; `None` where the line says nothing of it.
    pub(super) fn file(&self, name: &str) -> Option<FileChange> {
        FileChange::read(name, self.0.root().get("files")?.get(name)?)
    }

    /// The facts of the event: everything but time, event, author, revision and files.
    #[must_use]
    pub fn facts(&self) -> Vec<(Cow<'_, str>, document::Node<'_>)> {
        const OURS: [&str; 7] = ["ts", "event", "rev", "epoch", "by", "files", SEAL];
        let mut members = self.0.root().members();
        members.retain(|(name, _)| !OURS.contains(&name.as_ref()));
        members
    }

    /// The line as it is written.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.0.text()
    }
}
