//! Real file systems that lose power: an image is mounted, a change is acknowledged, and the file system is shut down
//! at once without flushing its log. After it is mounted again, the change must be there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::options::Options;
use crate::report::{Counts, Row, Table};
use crate::world::World;

/// The changes, each after the one before.
const CHANGES: [(&str, &str, &str); 5] = [
    (
        "start implement auth --phases build",
        "show implement/auth --raw",
        "\"build\"",
    ),
    (
        "phase implement/auth build complete --summary 'Power-1.'",
        "show implement/auth --raw",
        "Power-1.",
    ),
    ("plan done t7", "plan show --json", "\"done\":"),
    ("plan note Power-2.", "plan show --json", "Power-2."),
    (
        "gate set implement/auth --block Power-3.",
        "show implement/auth --raw",
        "Power-3.",
    ),
];

const PLAN_FILE: &str = "plans/260220-1149-login/plan.md";
const PLAN: &str =
    "# A\n\n<!-- CHECKPOINT: a -->\n- [ ] Do <!-- TASK: t7 -->\n- [ ] More <!-- TASK: t8 -->\n";

/// Shuts the file system down as if the power were cut. There is no safe call for this, and no program that every
/// machine has.
const SHUTDOWN: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

pub(crate) fn run(options: &Options, table: &mut Table) -> Result<(), String> {
    for kind in ["ext4", "xfs"] {
        crate::say(&format!("power: {kind}"));
        match Image::new(kind, &options.binary) {
            Ok(image) => {
                let rounds = if options.quick { 1 } else { 5 };
                let mut counts = Counts::default();
                for round in 0..rounds {
                    cut(&image, options, round, &mut counts)?;
                }
                let name = format!("power cut on {kind}");
                table.add("power cuts after the acknowledgement", Row { name, counts });
            }
            Err(reason) => table.skip(&format!("power cuts on {kind}"), &reason),
        }
    }
    Ok(())
}

/// One life on a new file system, with a power cut after each change.
fn cut(image: &Image, options: &Options, round: usize, counts: &mut Counts) -> Result<(), String> {
    image.format()?;
    image.mount()?;
    let world = World::in_directory(&image.place, &options.binary)?;
    world.put(PLAN_FILE, PLAN)?;
    world.must("plan sync", None)?;
    sync();
    for (line, look, word) in CHANGES {
        counts.points += 1;
        let when = format!("{} round {round}, {line}", image.kind);
        world.must(line, None)?;
        image.lose_power()?;
        match world.must(look, None) {
            Ok(shown) if shown.contains(word) => counts.new += 1,
            Ok(shown) => counts.bad("lost", &when, &shown),
            Err(reason) => counts.bad("unreadable", &when, &reason),
        }
    }
    // An editor that renames without syncing, and a hook that records what it saved.
    counts.points += 1;
    let when = format!("{} round {round}, an edit that was not synced", image.kind);
    let ticked = world
        .read(PLAN_FILE)
        .unwrap_or_default()
        .replace("[ ] More", "[x] More");
    let new = world.path("plans/260220-1149-login/new");
    std::fs::write(&new, &ticked).map_err(|error| error.to_string())?;
    std::fs::rename(&new, world.path(PLAN_FILE)).map_err(|error| error.to_string())?;
    let event = r#"{"hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Edit",
"tool_input": {"file_path": "plans/260220-1149-login/plan.md"}}"#;
    world.must("hook claude", Some(event))?;
    image.lose_power()?;
    match world.read(PLAN_FILE) {
        Some(text) if text == ticked => counts.new += 1,
        Some(text) => counts.bad("lost", &when, &format!("{text:?}")),
        None => counts.bad("unreadable", &when, "plan.md is gone"),
    }
    let litter = world.litter();
    if !litter.is_empty() {
        counts.bad("litter", &when, &litter.join(", "));
    }
    Ok(())
}

/// A file system in a file, mounted through a loop device.
struct Image {
    kind: &'static str,
    file: PathBuf,
    place: PathBuf,
    _directory: tempfile::TempDir,
}

impl Image {
    fn new(kind: &'static str, binary: &Path) -> Result<Self, String> {
        let parent = binary.parent().unwrap_or(binary);
        let directory = tempfile::TempDir::with_prefix_in("power-", parent);
        let directory = directory.map_err(|error| error.to_string())?;
        let image = Self {
            kind,
            file: directory.path().join("image"),
            place: directory.path().join("mounted"),
            _directory: directory,
        };
        std::fs::create_dir(&image.place).map_err(|error| error.to_string())?;
        program("truncate", &["--size=320M", &text(&image.file)])?;
        program("python3", &["-c", "import fcntl"])?;
        image.format()?;
        image.mount()?;
        image.unmount()?;
        Ok(image)
    }

    fn format(&self) -> Result<(), String> {
        let _ = self.unmount();
        let force = if self.kind == "xfs" { "-f" } else { "-F" };
        program(
            &format!("mkfs.{}", self.kind),
            &["-q", force, &text(&self.file)],
        )
    }

    fn mount(&self) -> Result<(), String> {
        program(
            "mount",
            &["-o", "loop", &text(&self.file), &text(&self.place)],
        )
    }

    fn unmount(&self) -> Result<(), String> {
        program("umount", &[&text(&self.place)])
    }

    fn lose_power(&self) -> Result<(), String> {
        program("python3", &["-c", SHUTDOWN, &text(&self.place)])?;
        self.unmount()?;
        self.mount()
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = self.unmount();
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn program(name: &str, words: &[&str]) -> Result<(), String> {
    let output = Command::new(name).args(words).output();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

fn sync() {
    rustix::fs::sync();
}
