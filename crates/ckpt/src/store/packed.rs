//! The format of an archive: a header of one line, then the files of a document, then its history, all compressed.
//!
//! `zstd -dc` shows it: the header says how long each part is, and the parts follow as they were. The header is sealed,
//! and names the hash of everything after it.

use std::io::{self, Read};

use crate::disk::DiskFile;
use crate::document::{Document, Node, Object, Value};
use crate::hash::ContentHash;
use crate::history::{Backward, Revision};
use crate::seal::Sealer;

/// The version of the format.
const VERSION: u64 = 1;

/// What is compressed very well takes long; longer archives are compressed well.
const LEVELS: [(usize, i32); 2] = [(16 * 1024 * 1024, 19), (usize::MAX, 9)];

/// The longest content of an archive. A clone can bring a small one that unpacks to any length.
const MOST: u64 = 1024 * 1024 * 1024;

/// The longest header.
const MOST_HEADER: usize = 64 * 1024;

/// So much of an archive holds its header: it is compressed in blocks of at most 128 KiB.
pub(super) const MOST_BEGINNING: usize = 129 * 1024;

/// A document and its history, as they are archived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Packed {
    /// What the archive says about itself.
    pub label: Label,
    /// The files, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The history, byte for byte.
    pub history: Vec<u8>,
    /// The names of files that are damaged. Of a whole archive, there are none.
    pub damaged: Vec<String>,
}

/// What an archive says about itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    /// The key of the document.
    pub key: String,
    /// When it was archived.
    pub at: String,
    /// Whether it was in flight, complete or abandoned.
    pub lifecycle: String,
    /// How many of its parts are done, and how many there are.
    pub progress: (u64, u64),
    /// The last revision.
    pub revision: Option<Revision>,
}

/// Why an archive cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveFlaw {
    /// It is damaged, or not an archive.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A newer version wrote it.
    #[error("a newer ckpt wrote it; upgrade ckpt to read it")]
    Newer,
    /// It was not written here.
    #[error(
        "it does not carry this repository's seal: it was archived elsewhere, or its key is lost"
    )]
    Unsealed,
}

impl Packed {
    /// The content of a file.
    pub(crate) fn file(&self, name: &str) -> Option<&Vec<u8>> {
        let (_, content) = self.files.iter().find(|(known, _)| known == name)?;
        Some(content)
    }

    /// The compressed form.
    pub(super) fn pack(&self, sealer: Sealer<'_>) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        for (_, file) in &self.files {
            content.extend_from_slice(file);
        }
        content.extend_from_slice(&self.history);
        let mut header = self.label.to_object();
        header.set("archive", VERSION);
        let lengths = self
            .files
            .iter()
            .map(|(name, file)| (name.as_str(), Value::from(file.len() as u64)));
        header.set("files", lengths.collect::<Object>());
        header.set("history", self.history.len() as u64);
        header.set("hash", ContentHash::of(&content).to_string());
        sealer.seal(&mut header);
        let mut whole = Value::Object(header).to_compact().into_bytes();
        whole.push(b'\n');
        whole.append(&mut content);
        let level = LEVELS.iter().find(|(most, _)| whole.len() <= *most);
        let mut encoder =
            zstd::stream::Encoder::new(Vec::new(), level.map_or(3, |(_, level)| *level))?;
        encoder.include_checksum(true)?;
        encoder.long_distance_matching(true)?;
        // Its tables are then as large as the content needs, and no larger.
        encoder.set_pledged_src_size(Some(whole.len() as u64))?;
        io::Write::write_all(&mut encoder, &whole)?;
        encoder.finish()
    }

    /// Reads the compressed form. Without a key, an archive without a seal counts too: nothing is sealed then.
    pub(super) fn unpack(packed: &[u8], sealer: Sealer<'_>) -> Result<Self, ArchiveFlaw> {
        let damaged = |error: io::Error| ArchiveFlaw::Damaged(error.to_string());
        check_seal(packed, sealer)?;
        let mut content = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(packed).map_err(damaged)?;
        decoder
            .take(MOST + 1)
            .read_to_end(&mut content)
            .map_err(damaged)?;
        if content.len() as u64 > MOST {
            return Err(ArchiveFlaw::Damaged("it is larger than 1 GiB".to_owned()));
        }
        let end = memchr::memchr(b'\n', &content).unwrap_or(content.len());
        let header = header(&content[..end])?;
        let root = header.root();
        let label = Label::read(root).ok_or_else(|| wrong("its header is incomplete"))?;
        let mut rest = content.split_off((end + 1).min(content.len()));
        let hash = root.get("hash").and_then(Node::as_str);
        if hash.as_deref() != Some(ContentHash::of(&rest).to_string().as_str()) {
            return Err(wrong("its content is not what its header says"));
        }
        let length = |node: Node<'_>| node.as_u64().and_then(|long| usize::try_from(long).ok());
        let mut files = Vec::new();
        for (name, node) in root.get("files").map(Node::members).unwrap_or_default() {
            let long = length(node).filter(|long| *long <= rest.len());
            let long = long.ok_or_else(|| wrong("a file is longer than the archive"))?;
            let after = rest.split_off(long);
            files.push((name.into_owned(), std::mem::replace(&mut rest, after)));
        }
        if root.get("history").and_then(length) != Some(rest.len()) {
            return Err(wrong("its history is not as long as its header says"));
        }
        Ok(Self {
            label,
            files,
            history: rest,
            damaged: Vec::new(),
        })
    }
}

impl Packed {
    /// What can still be read of a damaged archive: the beginning of its history, and the files that a line of it
    /// confirms. `None` if not even the header can be read, or if it was not written here.
    pub(super) fn beginning(packed: &[u8], sealer: Sealer<'_>, lines: Sealer<'_>) -> Option<Self> {
        check_seal(packed, sealer).ok()?;
        let mut content = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(packed).ok()?;
        // What was read before an error is kept.
        let _ = decoder.take(MOST).read_to_end(&mut content);
        let end = memchr::memchr(b'\n', &content)?;
        let header = header(&content[..end]).ok()?;
        let root = header.root();
        let label = Label::read(root)?;
        let mut rest = content.split_off(end + 1);
        let mut files = Vec::new();
        for (name, node) in root.get("files").map(Node::members).unwrap_or_default() {
            let long = node.as_u64().and_then(|long| usize::try_from(long).ok())?;
            let after = rest.split_off(long.min(rest.len()));
            files.push((name.into_owned(), std::mem::replace(&mut rest, after)));
        }
        let history = root.get("history").and_then(Node::as_u64);
        rest.truncate(history.and_then(|long| usize::try_from(long).ok())?);
        let history = Unpacked::new(rest);
        let is_whole = |(name, content): &(String, Vec<u8>)| history.confirms(name, content, lines);
        let (files, damaged): (Vec<_>, Vec<_>) = files.into_iter().partition(is_whole);
        Some(Self {
            label,
            files,
            history: history.0,
            damaged: damaged.into_iter().map(|(name, _)| name).collect(),
        })
    }
}

/// Refuses an archive that was not written here, from its beginning alone: a few bytes unpack to any number.
pub(super) fn check_seal(packed: &[u8], sealer: Sealer<'_>) -> Result<(), ArchiveFlaw> {
    let beginning = beginning_of(packed).ok_or_else(|| wrong("it has no header"))?;
    let header = header(&beginning)?;
    if sealer.contradicts(header.root()) {
        return Err(wrong("its header is not as it was sealed under this name"));
    }
    match sealer.has_key() && !sealer.vouches(header.root()) {
        true => Err(ArchiveFlaw::Unsealed),
        false => Ok(()),
    }
}

/// The first line of an archive.
fn beginning_of(packed: &[u8]) -> Option<Vec<u8>> {
    let decoder = zstd::stream::read::Decoder::new(packed).ok()?;
    let mut beginning = Vec::new();
    // What was read before an error is kept.
    let _ = decoder.take(MOST_HEADER as u64).read_to_end(&mut beginning);
    let end = memchr::memchr(b'\n', &beginning)?;
    beginning.truncate(end);
    Some(beginning)
}

/// What an archive says about itself, from its beginning. Nothing is verified.
pub(super) fn label(packed: &[u8]) -> Option<Label> {
    Label::read(header(&beginning_of(packed)?).ok()?.root())
}

fn header(line: &[u8]) -> Result<Document, ArchiveFlaw> {
    let header = Document::from_bytes(line.to_vec());
    let header = header.map_err(|error| ArchiveFlaw::Damaged(error.to_string()))?;
    match header.root().get("archive").and_then(Node::as_u64) {
        Some(VERSION) => Ok(header),
        Some(version) if version > VERSION => Err(ArchiveFlaw::Newer),
        _ => Err(wrong("it has no header")),
    }
}

fn wrong(what: &str) -> ArchiveFlaw {
    ArchiveFlaw::Damaged(what.to_owned())
}

impl Label {
    fn to_object(&self) -> Object {
        let mut header = Object::new();
        header.set("key", self.key.as_str());
        header.set("at", self.at.as_str());
        header.set("lifecycle", self.lifecycle.as_str());
        header.set("done", self.progress.0);
        header.set("total", self.progress.1);
        if let Some(revision) = &self.revision {
            header.set("rev", revision.to_string());
        }
        header
    }

    fn read(root: Node<'_>) -> Option<Self> {
        let text = |name: &str| Some(root.get(name)?.as_str()?.into_owned());
        let number = |name: &str| root.get(name)?.as_u64();
        Some(Self {
            key: text("key")?,
            at: text("at")?,
            lifecycle: text("lifecycle")?,
            progress: (number("done")?, number("total")?),
            revision: text("rev").and_then(|text| text.parse().ok()),
        })
    }
}

/// Bytes that are read like a file.
#[derive(Debug)]
pub(crate) struct Unpacked(Vec<u8>);

impl Unpacked {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Whether a line of this history that we can trust says that a file had this content.
    fn confirms(&self, name: &str, content: &[u8], sealer: Sealer<'_>) -> bool {
        let hash = Some(ContentHash::of(content));
        let lines = Backward::new(self).into_iter().flatten().flatten();
        let mut trusted = lines.filter(|line| line.counts(sealer));
        trusted.any(|line| {
            let files = line.files().unwrap_or_default();
            files
                .iter()
                .any(|file| file.name == name && file.to == hash)
        })
    }
}

impl DiskFile for Unpacked {
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let range = start.checked_add(buffer.len()).map(|end| start..end);
        match range.and_then(|range| self.0.get(range)) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests;
