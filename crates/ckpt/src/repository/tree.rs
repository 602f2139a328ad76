//! Computes the tree id of an index without writing the trees.
//!
//! `git write-tree` writes an object file for every changed directory. In a busy work tree those files cost more than
//! reading all of its content, and nobody would ever read them.

use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::Digest;

use super::exclusion::Exclusion;
use super::index::{self, Entry};

const DIRECTORY: u32 = 0o40000;

/// The id of the tree that this index would give without `excluded` paths, as hexadecimal text.
///
/// `None` if git must be asked: the index cannot be parsed, or no tree can be written from it.
pub(super) fn id_of_index(bytes: &[u8], id_bytes: usize, excluded: &[Exclusion]) -> Option<String> {
    let format = Format::of(id_bytes)?;
    let mut tree = Tree::new(format);
    let mut is_plain = true;
    index::visit(bytes, id_bytes, |entry| {
        if excluded.iter().any(|one| one.holds(entry.name, entry.mode)) {
            return;
        }
        is_plain = is_plain && is_leaf(&entry) && tree.add(&entry).is_some();
    })?;
    is_plain.then(|| hexadecimal(&tree.finish()))
}

/// Whether the entry goes into a tree directly: a file, a link or a submodule.
fn is_leaf(entry: &Entry<'_>) -> bool {
    entry.is_settled && matches!(entry.mode >> 12, 0o10 | 0o12 | 0o16)
}

/// The repository's hash algorithm.
#[derive(Clone, Copy)]
enum Format {
    Sha1,
    Sha256,
}

impl Format {
    fn of(id_bytes: usize) -> Option<Self> {
        match id_bytes {
            20 => Some(Self::Sha1),
            32 => Some(Self::Sha256),
            _ => None,
        }
    }

    fn tree_id(self, content: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => hash::<Sha1>(content),
            Self::Sha256 => hash::<Sha256>(content),
        }
    }
}

fn hash<D: Digest>(content: &[u8]) -> Vec<u8> {
    let mut hash = D::new();
    hash.update(format!("tree {}\0", content.len()));
    hash.update(content);
    hash.finalize().to_vec()
}

/// The trees from the top to the one being filled.
///
/// The index is sorted like the trees: in both, a directory sorts as if its name ended in `/`. So a tree is complete as
/// soon as a name outside it appears.
struct Tree {
    format: Format,
    open: Vec<Vec<u8>>,
    /// The directory being filled: empty, or with a trailing `/`.
    path: Vec<u8>,
}

impl Tree {
    fn new(format: Format) -> Self {
        Self {
            format,
            open: vec![Vec::new()],
            path: Vec::new(),
        }
    }

    /// Adds an entry. `None` for a name that no tree can hold.
    fn add(&mut self, entry: &Entry<'_>) -> Option<()> {
        while !entry.name.starts_with(&self.path) {
            self.close();
        }
        let mut rest = &entry.name[self.path.len()..];
        while let Some(length) = memchr::memchr(b'/', rest) {
            let (name, below) = rest.split_at(length + 1);
            if length == 0 {
                return None;
            }
            self.path.extend_from_slice(name);
            self.open.push(Vec::new());
            rest = below;
        }
        if rest.is_empty() {
            return None;
        }
        write_entry(self.open.last_mut()?, entry.mode, rest, entry.id);
        Some(())
    }

    /// Completes the directory being filled and adds it to its parent.
    fn close(&mut self) {
        let Some(content) = self.open.pop() else {
            return;
        };
        let id = self.format.tree_id(&content);
        let above = &self.path[..self.path.len().saturating_sub(1)];
        let start = memchr::memrchr(b'/', above).map_or(0, |slash| slash + 1);
        let name = above[start..].to_vec();
        self.path.truncate(start);
        if let Some(parent) = self.open.last_mut() {
            write_entry(parent, DIRECTORY, &name, &id);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        while self.open.len() > 1 {
            self.close();
        }
        self.format.tree_id(&self.open[0])
    }
}

fn write_entry(tree: &mut Vec<u8>, mode: u32, name: &[u8], id: &[u8]) {
    tree.extend_from_slice(format!("{mode:o} ").as_bytes());
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id);
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
