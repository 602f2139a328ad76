//! Finding the root: from the environment, or the nearest `.git` upward.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::config::Settings;
use super::files::{self, physical};
use super::objects::Objects;
use super::{
    Environment, GitUse, Location, Repository, RepositoryError, State, belonging, ownership,
};

pub(super) fn discover(
    start: &Path,
    environment: &Environment,
) -> Result<Repository, RepositoryError> {
    let start = match environment.current(start) {
        Some(current) => current.to_owned(),
        None => physical(start)?,
    };
    if let Some(git_root) = set(environment.git_root.as_ref()) {
        return below_given_root(&start, git_root, environment);
    }
    let state = match set(environment.git_dir.as_ref()) {
        Some(git_dir) => from_git_dir(&start, git_dir, environment)?,
        None => climb(
            &start,
            environment.work_tree(&start)?.as_deref(),
            environment,
        )?,
    };
    let root = match &state {
        State::Outside => start,
        State::Broken { path } => path.parent().unwrap_or(&start).to_path_buf(),
        State::Inside(location) => location.work_tree.clone(),
    };
    finished(root.clone(), root, state, environment)
}

/// The repository, if it may be worked in.
fn finished(
    root: PathBuf,
    real_root: PathBuf,
    state: State,
    environment: &Environment,
) -> Result<Repository, RepositoryError> {
    let repository = Repository {
        root,
        real_root,
        state,
    };
    ownership::check(&repository.root, repository.location(), environment)?;
    Ok(repository)
}

/// `GIT_ROOT` is kept as written, even if it does not exist yet. Git is searched for from there upward, so that HEAD is
/// known if the given root is inside a repository.
fn below_given_root(
    start: &Path,
    git_root: &Path,
    environment: &Environment,
) -> Result<Repository, RepositoryError> {
    let spelled = start.join(git_root);
    let root = std::path::absolute(&spelled).map_err(RepositoryError::io("find", &spelled))?;
    let mut state = State::Outside;
    let mut real_root = root.clone();
    if let Ok(resolved) = physical(&root) {
        state = climb(&resolved, None, environment)?;
        if let State::Inside(location) = &mut state {
            match resolved.strip_prefix(&location.work_tree) {
                Ok(prefix) => location.prefix = prefix.to_path_buf(),
                // `core.worktree` names a tree elsewhere, so the given root is not part of it.
                Err(_) => state = State::Outside,
            }
        }
        real_root = resolved;
    }
    finished(root, real_root, state, environment)
}

fn from_git_dir(
    start: &Path,
    git_dir: &Path,
    environment: &Environment,
) -> Result<State, RepositoryError> {
    let path = start.join(git_dir);
    let Found::GitDirectory(git_dir) = follow(&path)? else {
        return Err(RepositoryError::NotGitDirectory { path });
    };
    // As in git: without `core.worktree` or `GIT_WORK_TREE`, the work tree is the current directory.
    let git_dir = physical(&git_dir)?;
    belonging::check_named(&git_dir, start, environment)?;
    let mut state = settle(
        &git_dir,
        environment.work_tree(start)?.as_deref(),
        Some(start),
    )?;
    if let State::Inside(location) = &mut state {
        location.is_told = true;
    }
    Ok(state)
}

/// Searches `start` and each directory above it.
pub(super) fn climb(
    start: &Path,
    asked: Option<&Path>,
    environment: &Environment,
) -> Result<State, RepositoryError> {
    let ceilings = environment.ceilings();
    for directory in start.ancestors() {
        // As in git, the search does not climb into a ceiling, but may start in one.
        if directory != start && ceilings.iter().any(|ceiling| ceiling == directory) {
            break;
        }
        let dot_git = directory.join(".git");
        match follow(&dot_git)? {
            Found::GitDirectory(git_dir) => {
                let state = settle(&git_dir, asked, Some(directory))?;
                if let State::Inside(location) = &state {
                    belonging::check(location, directory, asked)?;
                }
                return Ok(state);
            }
            Found::Broken => return Ok(State::Broken { path: dot_git }),
            // A directory that only looks like a git directory does not count: a clone can contain such files.
            Found::Nothing => {}
        }
    }
    Ok(State::Outside)
}

/// What a path that may be a `.git` leads to.
pub(super) enum Found {
    GitDirectory(PathBuf),
    Broken,
    Nothing,
}

/// # Errors
///
/// If the system cannot tell. Without an answer we would work as if there were no repository, with another key.
pub(super) fn follow(path: &Path) -> Result<Found, RepositoryError> {
    let Some(kind) = kind_of(path)? else {
        // A dangling symbolic link was meant to lead somewhere.
        return Ok(match path.is_symlink() {
            true => Found::Broken,
            false => Found::Nothing,
        });
    };
    if kind.is_dir() {
        return Ok(if is_git_directory(path)? {
            Found::GitDirectory(path.to_path_buf())
        } else if kind_of(&path.join("objects"))?.is_some_and(|kind| kind.is_dir()) {
            Found::Broken
        } else {
            // Git skips an empty `.git` too.
            Found::Nothing
        });
    }
    if !kind.is_file() {
        // Git skips anything that is neither a file nor a directory.
        return Ok(Found::Nothing);
    }
    let Some(bytes) = files::read_if_present(path)? else {
        return Ok(Found::Broken);
    };
    let (Some(target), Some(base)) = (bytes.strip_prefix(b"gitdir: "), path.parent()) else {
        return Ok(Found::Broken);
    };
    match physical(&files::path_in(target, base)) {
        Ok(git_dir) if is_git_directory(&git_dir)? => Ok(Found::GitDirectory(git_dir)),
        Ok(_) => Ok(Found::Broken),
        Err(RepositoryError::Io { source, .. }) if leads_nowhere(&source) => Ok(Found::Broken),
        Err(error) => Err(error),
    }
}

/// What is at a path, with links followed; `None` if nothing is.
fn kind_of(path: &Path) -> Result<Option<fs::FileType>, RepositoryError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if leads_nowhere(&error) => Ok(None),
        Err(error) => Err(RepositoryError::io("inspect", path)(error)),
    }
}

/// HEAD may be a dangling symbolic link, and a linked worktree's git directory has no objects of its own.
fn is_git_directory(path: &Path) -> Result<bool, RepositoryError> {
    let head = path.join("HEAD");
    match fs::symlink_metadata(&head) {
        Ok(_) => {}
        Err(error) if leads_nowhere(&error) => return Ok(false),
        Err(error) => return Err(RepositoryError::io("inspect", &head)(error)),
    }
    let is_main = kind_of(&path.join("objects"))?.is_some_and(|kind| kind.is_dir());
    Ok(is_main || kind_of(&path.join("commondir"))?.is_some_and(|kind| kind.is_file()))
}

/// Whether there is certainly nothing at a path: no file, or links that lead in a circle.
fn leads_nowhere(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    let is_loop = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    is_loop || matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// Decides which work tree belongs to a git directory: the one asked for, or the one in its settings, or the directory
/// where it was found.
fn settle(
    git_dir: &Path,
    asked: Option<&Path>,
    found_in: Option<&Path>,
) -> Result<State, RepositoryError> {
    let common_dir = match files::read_if_present(&git_dir.join("commondir"))? {
        Some(bytes) => physical(&files::path_in(&bytes, git_dir)),
        None => Ok(git_dir.to_path_buf()),
    };
    let Ok(common_dir) = common_dir else {
        return Ok(match found_in {
            Some(directory) => State::Broken {
                path: directory.join(".git"),
            },
            None => State::Outside,
        });
    };
    let settings = Settings::read(git_dir, &common_dir);
    let configured = settings
        .work_tree
        // A stale setting must not hide an obvious root.
        .and_then(|path| physical(&git_dir.join(path)).ok());
    let own = if settings.bare {
        None
    } else {
        found_in.map(Path::to_path_buf)
    };
    Ok(match asked.map(Path::to_path_buf).or(configured).or(own) {
        Some(work_tree) => State::Inside(Box::new(Location {
            git_dir: git_dir.to_path_buf(),
            common_dir,
            // Git finds its directory by itself if it is in the work tree.
            is_told: found_in != Some(&work_tree),
            found_in: found_in.map(Path::to_path_buf),
            work_tree,
            prefix: PathBuf::new(),
            id_bytes: if settings.sha256 { 32 } else { 20 },
            git_use: GitUse::default(),
            filters: OnceLock::new(),
            objects: Objects::default(),
        })),
        None => State::Outside,
    })
}

impl Environment {
    /// The current directory, if `path` is the same. It has no links to resolve, which would take a call per path
    /// component.
    fn current(&self, path: &Path) -> Option<&Path> {
        let current = self.current_directory.as_deref()?;
        (cfg!(unix) && current == path).then_some(current)
    }

    fn work_tree(&self, start: &Path) -> Result<Option<PathBuf>, RepositoryError> {
        set(self.git_work_tree.as_ref())
            .map(|path| physical(&start.join(path)))
            .transpose()
    }

    /// The ceilings with links resolved, like the directories that the search climbs through.
    fn ceilings(&self) -> Vec<PathBuf> {
        let mut resolve = true;
        let mut ceilings = Vec::new();
        for path in &self.ceiling_directories {
            if path.as_os_str().is_empty() {
                resolve = false;
            } else if path.is_absolute() {
                let resolved = if resolve { physical(path).ok() } else { None };
                ceilings.push(resolved.unwrap_or_else(|| path.clone()));
            }
        }
        ceilings
    }
}

/// An empty variable counts as unset.
fn set(path: Option<&PathBuf>) -> Option<&Path> {
    path.map(PathBuf::as_path)
        .filter(|path| !path.as_os_str().is_empty())
}
