//! A checkpoint is moved to another place, or removed, and comes back.

use std::path::PathBuf;

use super::*;
use crate::history::content_at;
use crate::workspace::InFlight;

impl Subject<'_> {
    /// What is archived is read as before, and comes back with the same bytes.
    pub(super) fn archive(&self) -> Took {
        let before = self.files();
        let workspace = self.workspace();
        let Ok(archived) = workspace.archive(&self.key, InFlight::Accepted) else {
            return Took::Refused;
        };
        let loaded = workspace.load(&self.key).expect("it is read");
        let loaded = loaded.expect("it is in the archive").document;
        let (_, document) = before.last().expect("there is one");
        assert_eq!(loaded.text(), document);
        let (revision, files) = &self.model[self.model.len() / 2];
        assert_eq!(
            self.shown(revision),
            *files,
            "revision {revision} in the archive"
        );
        workspace.unarchive(&archived).expect("it comes back");
        assert_eq!(self.files(), before);
        Took::Done
    }

    /// What is deleted comes back with the same bytes.
    pub(super) fn delete(&self) -> Took {
        let before = self.files();
        let workspace = self.workspace();
        let Ok(deleted) = workspace.delete(&self.key, InFlight::Accepted) else {
            return Took::Refused;
        };
        assert!(workspace.load(&self.key).expect("it is read").is_none());
        assert!(workspace.lost().is_empty());
        workspace.unarchive(&deleted).expect("it comes back");
        assert_eq!(self.files(), before);
        Took::Done
    }

    /// What is removed comes back at once, or before the next change. Where only documents are removed of what git tracks,
    /// another branch may be checked out, so nothing is missing.
    pub(super) fn lose(&mut self, part: Part, is_recovered: bool) {
        self.end();
        self.note();
        let before = self.files();
        let removed = self.remove(part);
        let workspace = self.workspace();
        let lost = workspace.lost();
        let is_missing = part != Part::Documents || matches!(self.key, Key::Command(_));
        assert_eq!(lost.len(), usize::from(is_missing), "{lost:?}");
        match lost.first() {
            None => {
                for (path, content) in removed {
                    std::fs::write(path, content).expect("it is written");
                }
            }
            Some(lost) if is_recovered => {
                let back = workspace.bring_back_lost(lost);
                assert!(back.expect("it comes back").is_some());
                assert_eq!(self.files(), before);
            }
            Some(_) => self.end(),
        }
        assert!(workspace.lost().is_empty());
        let (revision, files) = self.model.last().expect("there is one");
        assert_eq!(self.shown(revision), *files);
    }

    /// Removes files, and returns them.
    fn remove(&self, part: Part) -> Vec<(PathBuf, Vec<u8>)> {
        let place = self.workspace().layout.place(&self.key);
        let documents = place.files.into_iter().map(|file| file.path);
        let documents = documents.filter(|_| part != Part::History);
        let history = Some(place.history).filter(|_| part != Part::Documents);
        let removed = documents.chain(history).map(|path| {
            let content = std::fs::read(&path).expect("it is there");
            std::fs::remove_file(&path).expect("it is removed");
            (path, content)
        });
        removed.collect()
    }

    fn new_name(&self, names: u32) -> Key {
        let key = |text: &str| CommandKey::parse(text).expect("it is a key");
        match &self.key {
            Key::Command(_) => Key::from(key(&format!("implement/other-{names}"))),
            Key::Pipeline(_) => {
                let id = PipelineId::new(&format!("PRD-{}", 100 + names));
                Key::from(&id.expect("it is an id"))
            }
            Key::Plan(_) => {
                let id = PlanId::new(&format!("260101-{names:04}-other"));
                Key::from(&id.expect("it is an id"))
            }
        }
    }

    /// A fork has the content of the revision, under its own name.
    pub(super) fn fork(&mut self, at: &Revision) -> Took {
        self.names += 1;
        let new = self.new_name(self.names);
        if self.workspace().fork(&self.key, &new, Some(at)).is_err() {
            return Took::Refused;
        }
        let known = self.model.iter().find(|(known, _)| known == at);
        let (_, files) = known.expect("it is in the model");
        self.check_copy(&new, files);
        Took::Done
    }

    /// What it was called before is in the archive, and it begins anew with the same content.
    pub(super) fn rename(&mut self) -> Took {
        self.names += 1;
        let new = self.new_name(self.names);
        let before = self.files();
        let old = self.key.to_string();
        if self.workspace().rename(&self.key, &new).is_err() {
            return Took::Refused;
        }
        self.check_copy(&new, &before);
        let archived = self.workspace().find_archived(&old).expect("it is kept");
        assert_eq!(self.workspace().renamed_to(&archived), Some(new.clone()));
        let old = std::mem::replace(&mut self.key, new);
        self.earlier.push((old, std::mem::take(&mut self.model)));
        if let Key::Pipeline(id) = &self.key {
            // Nobody has accepted its specification under the new name yet.
            self.workspace()
                .pipeline(id)
                .sync(None)
                .expect("it is synced");
        }
        self.note();
        Took::Done
    }

    fn check_copy(&self, new: &Key, files: &Files) {
        let (_, document) = files.last().expect("there is one");
        let document = Document::parse(document.clone()).expect("it is JSON");
        let copy = self.workspace().require(new).expect("it is there").document;
        for name in [
            "phases",
            "completed_workstreams",
            "artifacts",
            "decisions",
            "sessionNotes",
        ] {
            let member = |document: &Document| document.root().get(name).map(Node::value);
            assert_eq!(member(&copy), member(&document), "{name}");
        }
        if let Key::Plan(id) = new {
            let version = self.workspace().plan(id).version().expect("it is read");
            let text = version.texts[0].1.as_slice();
            assert_eq!(text, files[0].1.as_bytes());
        }
    }

    /// What happened under an earlier name can still be read in the archive.
    pub(super) fn check_earlier(&self) {
        let workspace = self.workspace();
        for (old, model) in &self.earlier {
            let archived = workspace.find_archived(&old.to_string());
            let archived = archived.expect("it is kept");
            let history = workspace.archived_history(&archived);
            let history = history.expect("it is read").expect("there is one");
            let place = workspace.layout.place(old);
            let document = &place.document().name;
            for (revision, files) in model {
                for (name, text) in files {
                    let name = if name == "document" { document } else { name };
                    let content = content_at(history.file(), name, revision, &|_| true);
                    let content = content.expect("it is read");
                    assert_eq!(
                        content.as_deref(),
                        Some(text.as_bytes()),
                        "{old}: {revision}"
                    );
                }
            }
        }
    }
}
