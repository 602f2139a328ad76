//! Each operation, killed or refused at each system call; then the next command.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::operation::{Look, OPERATIONS, Operation, Promise, Step};
use crate::options::Options;
use crate::random::Random;
use crate::report::{Counts, Row, Table};
use crate::trace::{Call, Fault, calls, disturbed, works};
use crate::world::{Ended, World, without_stamps};

/// How many points of an operation a quick run tries.
const QUICK_POINTS: usize = 8;

/// The operations run on as many threads.
const THREADS: usize = 2;

pub(crate) fn run(options: &Options, table: &mut Table) -> Result<(), String> {
    let world = World::new(&options.binary)?;
    if !works(&world) {
        return Err("strace is missing, or may not be used here".to_owned());
    }
    let wanted = |operation: &&Operation| {
        let name = options.name.as_deref().unwrap_or_default();
        operation.name.contains(name)
    };
    let operations: Vec<&Operation> = OPERATIONS.iter().filter(wanted).collect();
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, Result<Row, String>)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed))
                    && let Some(operation) = operations.get(at)
                {
                    let row = tried(operation, options);
                    let row = row.map_err(|error| format!("{}: {error}", operation.name));
                    if let Ok(mut rows) = rows.lock() {
                        rows.push((at, row));
                    }
                }
            });
        }
    });
    let mut rows = rows.into_inner().map_err(|_| "a thread died".to_owned())?;
    rows.sort_by_key(|(at, _)| *at);
    for (_, row) in rows {
        table.add("kills and failures at each system call", row?);
    }
    Ok(())
}

/// What can be seen, without what differs from run to run.
type Seen = Vec<Option<Value>>;

/// One operation in its world.
struct Scene<'s> {
    operation: &'s Operation,
    world: World,
    old: Seen,
    new: Seen,
    /// What was there before something was removed. It may be back without the change that follows.
    lost: Option<Seen>,
}

fn tried(operation: &Operation, options: &Options) -> Result<Row, String> {
    crate::say(&format!("faults: {}", operation.name));
    let scene = Scene::prepared(operation, &options.binary)?;
    let all = calls(&scene.world, operation.line, operation.input)?;
    let kills = all.iter().map(|call| (call, Fault::Kill));
    let failures = all.iter().flat_map(|call| {
        let errors = Fault::ERRORS.into_iter();
        let errors = errors.filter(|fault| fault.fits(call));
        errors.map(move |fault| (call, fault))
    });
    let mut points: Vec<(&Call, Fault)> = kills.chain(failures).collect();
    if options.quick {
        points = Random::new(options.seed, operation.name).sample(points, QUICK_POINTS);
    }
    let mut counts = Counts::default();
    for (call, fault) in points {
        scene.world.go_back()?;
        let ended = disturbed(&scene.world, operation.line, operation.input, call, fault)?;
        let when = format!(
            "{} at {} {} ({fault:?})",
            operation.name, call.name, call.number
        );
        scene.count(&ended, &when, &mut counts);
    }
    Ok(Row {
        name: operation.name.to_owned(),
        counts,
    })
}

impl<'s> Scene<'s> {
    fn prepared(operation: &'s Operation, binary: &std::path::Path) -> Result<Self, String> {
        let mut scene = Self {
            operation,
            world: World::new(binary)?,
            old: Vec::new(),
            new: Vec::new(),
            lost: None,
        };
        for step in operation.before {
            if matches!(step, Step::Remove(_)) {
                scene.lost = Some(scene.seen().map_err(|error| format!("before: {error}"))?);
            }
            take(&scene.world, step)?;
        }
        scene.world.keep()?;
        scene.old = scene.seen().map_err(|error| format!("before: {error}"))?;
        scene.world.go_back()?;
        scene.world.must(operation.line, operation.input)?;
        scene.new = scene.seen().map_err(|error| format!("after: {error}"))?;
        scene.world.go_back()?;
        Ok(scene)
    }

    fn seen(&self) -> Result<Seen, String> {
        let looks = self.operation.looks.iter();
        looks.map(|look| self.look(look)).collect()
    }

    fn look(&self, look: &Look) -> Result<Option<Value>, String> {
        match look {
            Look::File(name) => Ok(self.world.read(name).map(Value::from)),
            Look::There(name) => Ok(Some(Value::from(self.world.path(name).exists()))),
            Look::Exit(line) => Ok(self.world.ckpt(line, None)?.code.map(Value::from)),
            Look::Json(line) => {
                let ended = self.world.ckpt(line, None)?;
                match ended.code {
                    Some(0) => {
                        let value = serde_json::from_str(&ended.stdout);
                        let value: Value = value.map_err(|error| error.to_string())?;
                        Ok(Some(without_stamps(value)))
                    }
                    Some(3) => Ok(None),
                    // A damaged file is part of some scenes.
                    Some(4) if ended.stderr.contains("is corrupt") => {
                        Ok(Some(Value::from("damaged")))
                    }
                    code => Err(format!(
                        "ckpt {line} exited with {code:?}: {}",
                        ended.stderr
                    )),
                }
            }
        }
    }

    /// Looks at what a disturbed operation left, runs the next command, and looks again.
    fn count(&self, ended: &Ended, when: &str, counts: &mut Counts) {
        counts.points += 1;
        let is_acknowledged = ended.code == Some(0) && self.operation.promise == Promise::Done;
        match self.seen() {
            Err(reason) => counts.bad("unreadable", when, &reason),
            Ok(now) if now == self.new => counts.new += 1,
            Ok(now) if self.is_between(&now) => counts.old += 1,
            Ok(_) if is_acknowledged => counts.bad("lost", when, "success, but the old state"),
            Ok(now) if now == self.old || self.lost.as_ref() == Some(&now) => counts.old += 1,
            Ok(now) => {
                let reason = format!("neither old nor new: {now:?}");
                counts.bad("unreadable", when, &reason);
            }
        }
        let then = self.operation.then.iter();
        let taken: Result<Vec<()>, String> = then.map(|step| take(&self.world, step)).collect();
        if let Err(reason) = taken {
            counts.bad("unreadable", when, &reason);
        }
        match self.world.ckpt(self.operation.next, None) {
            Ok(next) if next.code == Some(0) => {}
            Ok(next) if next.code == Some(3) && self.operation.creates => {}
            Ok(next) => counts.bad("unreadable", when, &format!("then: {}", next.stderr)),
            Err(reason) => counts.bad("unreadable", when, &reason),
        }
        if self.operation.promise == Promise::Later {
            match self.after_next() {
                Ok(true) => {}
                Ok(false) => counts.bad("lost", when, "the next command did not find it"),
                Err(reason) => counts.bad("unreadable", when, &reason),
            }
        }
        let litter = self.world.litter();
        if !litter.is_empty() {
            counts.bad("litter", when, &litter.join(", "));
        }
    }

    /// Whether a state between the old and the new one is meant: settings are several files, which the next command makes
    /// whole, a checkpoint that is renamed may be there under both names, what is cleaned up goes one by one, and a gate keeps
    /// a receipt of a run that has begun.
    fn is_between(&self, now: &Seen) -> bool {
        let line = self.operation.line;
        if line.contains("gate run") {
            let now = serde_json::to_string(now).unwrap_or_default();
            return now.contains("\"receipts\"");
        }
        let mut each = now.iter().zip(self.old.iter().zip(&self.new));
        let has_steps = ["init", "rename", "gc"]
            .iter()
            .any(|word| line.starts_with(word));
        has_steps && each.all(|(now, (old, new))| now == old || now == new)
    }

    /// Whether everything that can be seen of the plan after the next command is as it would be without the fault.
    fn after_next(&self) -> Result<bool, String> {
        let with_fault = self.progress()?;
        self.world.go_back()?;
        self.world.must(self.operation.line, self.operation.input)?;
        self.world.must(self.operation.next, None)?;
        Ok(with_fault == self.progress()?)
    }

    fn progress(&self) -> Result<Value, String> {
        let shown = self.world.must("plan show --json", None)?;
        let shown: Value = serde_json::from_str(&shown).map_err(|error| error.to_string())?;
        // Who ticked a box is known only to the hook.
        let progress = shown.pointer("/state/progress").cloned();
        Ok(without_stamps(progress.unwrap_or_default()))
    }
}

fn take(world: &World, step: &Step) -> Result<(), String> {
    match step {
        Step::Run(line) => world.must(line, None).map(drop),
        Step::Hook(event) => world.must("hook claude", Some(event)).map(drop),
        Step::Put(name, content) => world.put(name, content),
        Step::Remove(name) => {
            let path = world.path(name);
            let removed = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false => std::fs::remove_file(&path),
            };
            removed.map_err(|error| format!("{name}: {error}"))
        }
        Step::Age => world.age_deleted(),
    }
}
