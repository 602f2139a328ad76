//! Checks whether an agent's settings switch off all hooks.

use std::path::{Path, PathBuf};

use ckpt::repository::Repository;
use ckpt_agents::Agent;
use ckpt_agents::install::{
    Author, Layer, Off, Scope, managed_directory, settings_file, switched_off,
};

use super::hooks::Installed;
use super::{Examination, Verdict};
use crate::environment::Variables;

/// A settings file.
struct File {
    name: String,
    text: String,
    author: Author,
}

impl File {
    fn read(root: &Path, path: &Path, author: Author) -> Self {
        let name = path.strip_prefix(root).unwrap_or(path);
        Self {
            name: name.display().to_string(),
            text: super::hooks::text_of(root, path),
            author,
        }
    }
}

impl Examination<'_> {
    /// Checks that no setting disables the installed hooks. Claude Code merges its settings files; in other agents,
    /// such a switch, if any, only affects the hooks in the same file.
    pub(super) fn switches(&mut self, installed: &[Installed]) {
        let root = self.session.workspace.repository().root().to_owned();
        let is_claude = |one: &&Installed| one.agent == Agent::Claude;
        if installed.iter().any(|one| is_claude(&one)) {
            let files = settings_of_claude(self.variables, self.session.workspace.repository());
            self.switch(Agent::Claude, &files);
        }
        for one in installed.iter().filter(|one| !is_claude(one)) {
            let file = File::read(&root, &root.join(&one.file), Author::User);
            self.switch(one.agent, &[file]);
        }
    }

    fn switch(&mut self, agent: Agent, files: &[File]) {
        let layers = files.iter().map(|file| Layer {
            name: &file.name,
            text: &file.text,
            author: file.author,
        });
        let layers: Vec<Layer<'_>> = layers.collect();
        let Some(Off { layer, key }) = switched_off(&layers) else {
            return;
        };
        let text = format!("{agent}: {} disables all hooks with {key}", layer.name);
        self.note(Verdict::Broken, "hooks", text);
        let nearest = layers.iter().find(|layer| layer.author == Author::User);
        self.advise(match (layer.author, nearest) {
            (Author::Organisation, _) => {
                "Your organisation manages it: ask the administrator of this machine".to_owned()
            }
            (Author::User, Some(nearest)) if nearest.name != layer.name => {
                let nearest = nearest.name;
                format!("Remove {key} from it, or set it to false in {nearest}")
            }
            (Author::User, _) => format!("Remove {key} from it"),
        });
    }
}

/// The settings files of Claude Code, the highest precedence first.
fn settings_of_claude(variables: &Variables, repository: &Repository) -> Vec<File> {
    let root = repository.root();
    let managed = managed();
    let managed = managed
        .iter()
        .map(|path| File::read(root, path, Author::Organisation));
    let mut files: Vec<File> = managed.collect();
    let Some(home) = variables.home() else {
        return files;
    };
    let own = variables.own_directories(repository);
    for scope in [Scope::Local, Scope::Project, Scope::User] {
        let place = settings_file(Agent::Claude, scope);
        let path = place.resolved(root, &home, &own);
        files.push(File::read(root, &path, Author::User));
    }
    files
}

/// The organisation's settings files, the highest precedence first.
fn managed() -> Vec<PathBuf> {
    let directory = Path::new(managed_directory(std::env::consts::OS));
    let pieces = std::fs::read_dir(directory.join("managed-settings.d"));
    let pieces = pieces.into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = pieces.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort_unstable_by(|one, two| two.cmp(one));
    files.push(directory.join("managed-settings.json"));
    files
}
