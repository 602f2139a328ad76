//! The changes that a history line records for each file.

use crate::document::{Edit, Node, Object, Splice, Value};
use crate::hash::ContentHash;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file's name.
    pub name: String,
    /// Its content before; `None` if it did not exist.
    pub from: Option<ContentHash>,
    /// Its content after; `None` if it does not exist.
    pub to: Option<ContentHash>,
    /// How the content changed.
    pub transition: Transition,
    /// The whole content after, beside an edit. From time to time it is recorded so that no revision is far from one.
    pub whole: Option<Vec<u8>>,
}

/// How a file's content became the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// By these splices; empty if the content did not change.
    Edit(Edit),
    /// This is the whole content after, whatever was there before.
    Content(Vec<u8>),
    /// Not recorded, because the content is too large; the limit is lower for bytes that are not text. Replay cannot
    /// pass this point.
    Unrecorded,
}

impl FileChange {
    /// Whether the content differs.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.from != self.to
    }

    /// Applies the change to the content before. `None` if the result is not what was recorded.
    #[must_use]
    pub fn apply(&self, before: Option<&[u8]>) -> Option<Option<Vec<u8>>> {
        let after = self.edited(before)?;
        match self.to {
            Some(hash) if hash == ContentHash::of(&after) => Some(Some(after)),
            None if after.is_empty() => Some(None),
            _ => None,
        }
    }

    /// Applies the change without checking the result against the recorded hash.
    pub(super) fn edited(&self, before: Option<&[u8]>) -> Option<Vec<u8>> {
        match &self.transition {
            Transition::Content(content) => Some(content.clone()),
            Transition::Edit(edit) => edit.apply(before.unwrap_or_default()).ok(),
            Transition::Unrecorded => None,
        }
    }

    /// The inverse change, which leads back to `before`.
    #[must_use]
    pub fn reversed(&self, before: Option<&[u8]>) -> Self {
        let transition = match &self.transition {
            Transition::Edit(edit) => Transition::Edit(edit.inverse()),
            Transition::Content(_) | Transition::Unrecorded => {
                Transition::Content(before.unwrap_or_default().to_vec())
            }
        };
        Self {
            name: self.name.clone(),
            from: self.to,
            to: self.from,
            transition,
            whole: None,
        }
    }

    /// The whole content after, if it is recorded.
    pub(super) fn content_after(&self) -> Option<&[u8]> {
        match &self.transition {
            Transition::Content(content) => Some(content),
            Transition::Edit(_) | Transition::Unrecorded => self.whole.as_deref(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let hash = |hash: Option<ContentHash>| Value::from(hash.map(|hash| hash.to_string()));
        let mut object = Object::new();
        if self.is_change() {
            object.set("from", hash(self.from));
        }
        object.set("to", hash(self.to));
        match &self.transition {
            Transition::Edit(edit) if self.is_change() => {
                let splices = edit.splices().iter().map(|splice| {
                    Value::Array(vec![
                        (splice.offset as u64).into(),
                        bytes_to_value(&splice.old),
                        bytes_to_value(&splice.new),
                    ])
                });
                object.set("edit", Value::Array(splices.collect()));
            }
            Transition::Edit(_) | Transition::Unrecorded => {}
            Transition::Content(_) => {}
        }
        if let Some(content) = self.content_after() {
            object.set("content", bytes_to_value(content));
        }
        Value::Object(object)
    }

    pub(super) fn read(name: &str, node: Node<'_>) -> Option<Self> {
        let hash = |node: Node<'_>| match node.as_str() {
            Some(text) => ContentHash::parse(&text).map(Some),
            None => node.is_null().then_some(None),
        };
        let to = hash(node.get("to")?)?;
        let from = node.get("from").map_or(Some(to), hash)?;
        let content = node.get("content").map(bytes_from_node);
        let mut whole = None;
        let transition = match (node.get("edit"), content) {
            (Some(edit), content) => {
                whole = content.flatten();
                let splices = edit.items().map(read_splice).collect::<Option<_>>()?;
                Transition::Edit(Edit::new(splices))
            }
            (None, Some(content)) => Transition::Content(content?),
            (None, None) if from == to => Transition::Edit(Edit::default()),
            (None, None) => Transition::Unrecorded,
        };
        Some(Self {
            name: name.to_owned(),
            from,
            to,
            transition,
            whole,
        })
    }
}

fn read_splice(node: Node<'_>) -> Option<Splice> {
    let mut items = node.items();
    Some(Splice {
        offset: usize::try_from(items.next()?.as_u64()?).ok()?,
        old: bytes_from_node(items.next()?)?,
        new: bytes_from_node(items.next()?)?,
    })
}

/// Text becomes a string; bytes that are not text become `{"hex": "ff00"}`.
fn bytes_to_value(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::Object(Object::from_iter([("hex", Value::from(hex))]))
        }
    }
}

fn bytes_from_node(node: Node<'_>) -> Option<Vec<u8>> {
    if let Some(text) = node.as_str() {
        return Some(text.into_owned().into_bytes());
    }
    let hex = node.get("hex")?.as_str()?;
    let digits = hex.as_bytes();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
