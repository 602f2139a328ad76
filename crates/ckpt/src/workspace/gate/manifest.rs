//! The files of approved content, kept so that an approval that no longer fits can say which files moved.
//!
//! A manifest is kept beside the key, where no clone can put one. Losing it loses only the names.

#![expect(
    clippy::disallowed_methods,
    reason = "these files are not documents: each is written once, and its name is that of its content"
)]

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::super::Workspace;
use crate::disk::{is_no_link, make_private_directory, open_private, read_private};
use crate::layout::APPROVED;
use crate::repository::ContentListing;

/// The largest number of files that are kept.
const MOST_FILES: usize = 50_000;

/// The largest manifest that is read, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// How many manifests are kept.
const MOST_MANIFESTS: usize = 16;

impl Workspace {
    /// Keeps the files of content that is about to be approved. If that fails, the approval counts all the same.
    pub(super) fn keep_manifest(&self, listing: &ContentListing) {
        let Some(directory) = self.manifests() else {
            return;
        };
        if listing.files.len() > MOST_FILES {
            return;
        }
        let mut text = String::new();
        let plain = listing
            .files
            .iter()
            .filter(|(name, _)| !name.contains('\n'));
        for (name, id) in plain {
            text += &format!("{id} {name}\n");
        }
        let path = directory.join(listing.digest.as_str());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let opened = open_private(&path, &mut options).or_else(|error| {
            let missing = (!directory.exists()).then_some(&directory);
            make_private_directory(missing.ok_or(error)?)?;
            open_private(&path, &mut options)
        });
        if opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .is_ok()
        {
            forget_oldest(&directory);
        }
    }

    /// The files that differ between approved content and the content now; `None` if the approved files are not known.
    pub(in crate::workspace) fn moved_since(
        &self,
        approved: &str,
        now: &ContentListing,
    ) -> Option<Vec<String>> {
        let is_digest = approved.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.manifests()?.join(approved);
        let text = is_digest.then(|| read_private(&path, LONGEST).ok())??;
        let text = String::from_utf8(text).ok()?;
        let mut before: HashMap<&str, &str> = HashMap::new();
        for line in text.lines() {
            let (id, name) = line.split_once(' ')?;
            before.insert(name, id);
        }
        let mut moved = Vec::new();
        for (name, id) in &now.files {
            if before.remove(name.as_str()) != Some(id.as_str()) {
                moved.push(name.clone());
            }
        }
        moved.extend(before.into_keys().map(str::to_owned));
        moved.sort_unstable();
        Some(moved)
    }

    fn manifests(&self) -> Option<PathBuf> {
        let user_state = self.options.user_state.as_deref();
        let directory = self.repository.private_directory(user_state)?;
        Some(directory.join(APPROVED)).filter(|directory| is_no_link(directory))
    }
}

fn forget_oldest(directory: &std::path::Path) {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    files.sort();
    let too_many = files.len().saturating_sub(MOST_MANIFESTS);
    for (_, path) in files.into_iter().take(too_many) {
        let _ = fs::remove_file(path);
    }
}
