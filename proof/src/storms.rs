//! Many processes at once: writers that are killed and stopped, lock files that vanish, editors, and git.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

use crate::options::Options;
use crate::random::Random;
use crate::report::{Counts, Row, Table};
use crate::storm::{Told, Writer, again_and_again, blow, risky, settle, soon};
use crate::world::World;

type Storm = fn(&Size, &World, &mut Counts) -> Result<(), String>;

/// How large a storm is.
struct Size {
    writers: usize,
    changes: usize,
    seed: u64,
}

const STORMS: [(&str, Storm); 6] = [
    ("32 writers, random SIGKILL and SIGSTOP", killed),
    ("lock files removed every 3 ms", unlocked),
    ("plan ticked by 8, six styles of editor", beside_editors),
    ("plan ticked by 8, git checkout --force", beside_git),
    ("a checkpoint whose clock is ahead", clock_ahead),
    ("mixed operations of every kind", soak),
];

pub(crate) fn run(options: &Options, table: &mut Table) -> Result<(), String> {
    let size = Size {
        writers: 32,
        changes: if options.quick { 8 } else { 60 },
        seed: options.seed,
    };
    for (name, storm) in STORMS {
        crate::say(&format!("storm: {name}"));
        let mut counts = Counts::default();
        let world = World::new(&options.binary)?;
        storm(&size, &world, &mut counts).map_err(|error| format!("{name}: {error}"))?;
        let name = name.to_owned();
        table.add("many processes at once", Row { name, counts });
    }
    Ok(())
}

/// A writer that adds tasks of its own to one phase.
fn adds<'w>(world: &'w World, size: &Size, writer: usize, risk: usize) -> Writer<'w> {
    let (seed, changes) = (size.seed, size.changes);
    Box::new(move || {
        let mut random = Random::new(seed, &format!("writer {writer}"));
        let mut told = Told::default();
        for change in 0..changes {
            let name = format!("w{writer}-{change}.");
            let data = format!("'{{\"tasks\": {{\"{name}\": true}}}}'");
            let line = format!("phase implement/auth build --data {data}");
            match risky(world, &line, &mut random, risk) {
                Some(0) => told.acknowledged.push(name),
                _ => told.refused += 1,
            }
        }
        told
    })
}

fn killed(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    world.must("start implement auth --phases build", None)?;
    let writers = (0..size.writers).map(|writer| adds(world, size, writer, 30));
    let told = blow(writers.collect(), Vec::new());
    // The next change settles what the last death left.
    world.must("phase implement/auth end complete --new", None)?;
    let present = world.must("show implement/auth --raw", None);
    settle(world, &told, present, "32 writers", counts);
    Ok(())
}

fn unlocked(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    world.must("start implement auth --phases build", None)?;
    let writers = (0..6).map(|writer| adds(world, size, writer, 0));
    let remove = |is_over: &AtomicBool| {
        let locks = world.path(".claude/state/locks");
        let mut turn = 0;
        again_and_again(is_over, Duration::from_millis(3), || {
            turn += 1;
            let _ = match turn % 4 {
                0 => fs::remove_dir_all(&locks),
                _ => fs::remove_file(locks.join("command.lock")),
            };
        });
    };
    let told = blow(writers.collect(), vec![Box::new(remove)]);
    let present = world.must("show implement/auth --raw", None);
    settle(world, &told, present, "removed lock files", counts);
    Ok(())
}

const PLAN_FILE: &str = "plans/260220-1149-login/plan.md";

fn plan(saves: usize) -> String {
    let tasks = (0..64).map(|at| format!("- [ ] Do number {at} <!-- TASK: t{at} -->\n"));
    let tasks: String = tasks.collect();
    format!("# Work\n\n## Build\n<!-- CHECKPOINT: build -->\n{tasks}\nSaved {saves} times.\n")
}

/// How an editor saves a text.
type Save = fn(&Path, &str) -> std::io::Result<()>;

const STYLES: [Save; 6] = [
    // In one piece.
    |path, text| fs::write(path, text),
    // Opened a while before it writes.
    |path, text| {
        let mut file = File::create(path)?;
        sleep(Duration::from_millis(2));
        file.write_all(text.as_bytes())
    },
    // Through a slow pipe.
    |path, text| {
        let mut file = File::create(path)?;
        for piece in text.as_bytes().chunks(text.len() / 4 + 1) {
            sleep(Duration::from_millis(6));
            file.write_all(piece)?;
        }
        Ok(())
    },
    // In pieces, closed between them.
    |path, text| {
        File::create(path)?;
        for piece in text.as_bytes().chunks(text.len() / 4 + 1) {
            let mut file = OpenOptions::new().append(true).open(path)?;
            file.write_all(piece)?;
            drop(file);
            sleep(Duration::from_millis(6));
        }
        Ok(())
    },
    // A new file, renamed into place without a sync.
    |path, text| {
        let new = path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, path)
    },
    // The old file becomes a backup.
    |path, text| {
        fs::rename(path, path.with_extension("md~"))?;
        fs::write(path, text)
    },
];

/// Notes of writers who work on a plan.
fn notes<'w>(world: &'w World, size: &Size, writer: usize) -> Writer<'w> {
    let (seed, changes) = (size.seed, size.changes);
    Box::new(move || {
        let mut random = Random::new(seed, &format!("ticking {writer}"));
        let mut told = Told::default();
        for change in 0..changes {
            let task = random.below(64);
            let verb = ["done", "undo"][random.below(2)];
            let _ = risky(
                world,
                &format!("plan {verb} t{task} --force"),
                &mut random,
                0,
            );
            let name = format!("note-{writer}-{change}.");
            match risky(world, &format!("plan note {name}"), &mut random, 10) {
                Some(0) => told.acknowledged.push(name),
                _ => told.refused += 1,
            }
        }
        told
    })
}

fn beside_editors(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    world.put(PLAN_FILE, &plan(0))?;
    world.must("plan sync", None)?;
    let path = world.path(PLAN_FILE);
    let saves = if size.changes > 20 { 120 } else { 30 };
    let editor = move || {
        let mut told = Told::default();
        for save in 1..=saves {
            let style = STYLES[save % STYLES.len()];
            // It saves the plan as it is, with one line changed.
            let before = |text: &String| text.contains("Saved ") && text.contains("TASK: t63");
            let text = fs::read_to_string(&path).ok().filter(before);
            let text = text.unwrap_or_else(|| plan(save));
            let start = text.find("Saved ").unwrap_or(text.len());
            let line = format!("Saved {save} times.");
            if style(&path, &format!("{}{line}\n", &text[..start])).is_err() {
                told.refused += 1;
                continue;
            }
            let is_there =
                soon(|| fs::read_to_string(&path).is_ok_and(|text| text.contains(&line)));
            match is_there {
                true => told.refused += 1,
                false => told
                    .acknowledged
                    .push(format!("{line} (style {})", save % STYLES.len())),
            }
        }
        told
    };
    let mut writers: Vec<Writer<'_>> = vec![Box::new(editor)];
    writers.extend((0..8).map(|writer| notes(world, size, writer)));
    // A save of the editor that was not found again counts as an acknowledged change that is missing.
    let told = blow(writers, Vec::new());
    world.must("plan note The-end", None)?;
    let present = world.must("plan show --json", None);
    settle(world, &told, present, "editors", counts);
    let tasks = world.read(PLAN_FILE).unwrap_or_default();
    if tasks.matches("TASK: ").count() != 64 {
        counts.bad("lost", "editors", "tasks are missing");
    }
    Ok(())
}

fn beside_git(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    for version in 0..2 {
        world.put(PLAN_FILE, &plan(version))?;
        world.git(&["add", "--force", PLAN_FILE])?;
        world.git(&["commit", "--quiet", "--message", "version"])?;
        world.git(&["branch", &format!("version-{version}")])?;
    }
    world.must("plan sync", None)?;
    let turns = if size.changes > 20 { 300 } else { 60 };
    let git = move || {
        let mut told = Told::default();
        for turn in 0..turns {
            let version = turn % 2;
            let branch = format!("version-{version}");
            let line = format!("Saved {version} times.");
            let checked_out = world.git(&["checkout", "--quiet", "--force", &branch]);
            let is_there = || {
                world
                    .read(PLAN_FILE)
                    .is_some_and(|text| text.contains(&line))
            };
            match checked_out.is_ok() && soon(is_there) {
                true => told.refused += 1,
                false => told
                    .acknowledged
                    .push(format!("checkout {turn}: {checked_out:?}")),
            }
        }
        told
    };
    let mut writers: Vec<Writer<'_>> = vec![Box::new(git)];
    writers.extend((0..8).map(|writer| notes(world, size, writer)));
    let told = blow(writers, Vec::new());
    world.must("plan note The-end", None)?;
    let present = world.must("plan show --json", None);
    settle(world, &told, present, "git checkout", counts);
    Ok(())
}

/// State that was written by a clock a day ahead: time goes backwards for whoever comes next.
fn clock_ahead(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    world.must("start implement auth --phases build", None)?;
    world.put(PLAN_FILE, &plan(0))?;
    world.must("plan sync", None)?;
    world.must("plan claim t1 --by team:a", None)?;
    let ahead = |text: &str| text.replace("\"20", "\"21");
    for name in [
        ".claude/state/implement-auth.json",
        "plans/260220-1149-login/.checkpoint/state.json",
    ] {
        let text = world.read(name).ok_or_else(|| format!("no {name}"))?;
        world.put(name, &ahead(&text))?;
    }
    let writers = (0..4).map(|writer| adds(world, size, writer, 20));
    let told = blow(writers.collect(), Vec::new());
    world.must("phase implement/auth end complete --new", None)?;
    // A claim from the future does not hold.
    world.must("plan claim t1 --by team:b", None)?;
    let present = world.must("show implement/auth --raw", None);
    settle(world, &told, present, "clock ahead", counts);
    Ok(())
}

const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: A }\n  WS2: { name: B }\n---\n";

/// Everything at once.
fn soak(size: &Size, world: &World, counts: &mut Counts) -> Result<(), String> {
    world.must("start implement auth --phases build", None)?;
    world.put(PLAN_FILE, &plan(0))?;
    world.must("plan sync", None)?;
    world.put("spec.md", SPEC)?;
    world.must("pipeline init spec.md", None)?;
    let mut writers: Vec<Writer<'_>> = Vec::new();
    for writer in 0..6 {
        writers.push(adds(world, size, writer, 20));
        writers.push(notes(world, size, writer));
        let (seed, changes) = (size.seed, size.changes);
        writers.push(Box::new(move || {
            let mut random = Random::new(seed, &format!("cleaning {writer}"));
            let mut told = Told::default();
            for change in 0..changes {
                let name = format!("clean-{writer}-{change}.");
                let line = format!("pipeline note PRD-001 --cleanup {name}");
                match risky(world, &line, &mut random, 20) {
                    Some(0) => told.acknowledged.push(name),
                    _ => told.refused += 1,
                }
            }
            told
        }));
    }
    let read = |is_over: &AtomicBool| {
        again_and_again(is_over, Duration::from_millis(5), || {
            for line in ["status", "resume", "list --json", "doctor --json"] {
                let _ = world.ckpt(line, None);
            }
        });
    };
    let told = blow(writers, vec![Box::new(read)]);
    world.must("phase implement/auth end complete --new", None)?;
    world.must("plan note The-end", None)?;
    world.must("pipeline note PRD-001 --cleanup end", None)?;
    let mut present = String::new();
    for line in [
        "show implement/auth --raw",
        "plan show --json",
        "show PRD-001 --raw",
    ] {
        present += &world.must(line, None)?;
    }
    settle(world, &told, Ok(present), "soak", counts);
    Ok(())
}
