//! Worktrees on a simulated disk, with a mirror.

use std::path::Path;
use std::sync::Arc;

use crate::disk::simulated::SimulatedDisk;
use crate::key::PlanId;
use crate::repository::{Environment, Repository};
use crate::seal::{SealKey, Vault};
use crate::store::{FileStore, Mirror, Mirrored};
use crate::workspace::{Options, Workspace};

pub(in crate::workspace) const ROOT: &str = "/repository";

const PLAN: &str = "\
# Login
<!-- CHECKPOINT: one -->
- [ ] First <!-- TASK: first -->
";

const PHASE_FILE: &str = "\
<!-- CHECKPOINT: two -->
- [ ] Second <!-- TASK: second -->
";

/// A worktree whose id is in the file `id` of the git directory.
pub(in crate::workspace) fn worktree(disk: &SimulatedDisk, id: &str) -> Workspace {
    let environment = Environment {
        git_root: Some(ROOT.into()),
        ..Environment::default()
    };
    let repository = Repository::discover(Path::new("/"), &environment).unwrap();
    let options = Options::default();
    let own = Path::new("/git").join(id);
    let mirror = Mirror::new("/git/ckpt/mirror".into(), own, Path::new(ROOT));
    let store = FileStore::on(Arc::new(disk.clone()), Path::new(ROOT), options.clock)
        .with_vault(Vault::holding(SealKey::new([1; 32])))
        .with_mirror(Mirrored::at(mirror));
    Workspace::with_store(repository, store, options)
}

pub(in crate::workspace) fn workspace(disk: &SimulatedDisk) -> Workspace {
    worktree(disk, "worktree")
}

pub(in crate::workspace) fn plan() -> PlanId {
    PlanId::new("260220-1149-login").unwrap()
}

/// A git directory, and a plan of two files.
pub(in crate::workspace) fn planned() -> SimulatedDisk {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.put(Path::new("/git/HEAD"), b"");
    let plans = Path::new(ROOT).join("plans/260220-1149-login");
    disk.put(&plans.join("plan.md"), PLAN.as_bytes());
    disk.put(&plans.join("phase-02-more.md"), PHASE_FILE.as_bytes());
    disk
}
