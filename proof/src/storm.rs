//! What all storms share: processes that write at once, and troublemakers beside them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::random::Random;
use crate::report::Counts;
use crate::world::World;

/// What a writer was told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The names of the changes that were acknowledged.
    pub(crate) acknowledged: Vec<String>,
    /// How many were refused or killed.
    pub(crate) refused: usize,
}

/// A process, or several in turn, that make changes.
pub(crate) type Writer<'w> = Box<dyn FnOnce() -> Told + Send + 'w>;

/// Something that gets in the way until it is over.
pub(crate) type Trouble<'w> = Box<dyn Fn(&AtomicBool) + Send + Sync + 'w>;

/// Runs writers and troublemakers at once, until the writers are done.
pub(crate) fn blow(writers: Vec<Writer<'_>>, troublemakers: Vec<Trouble<'_>>) -> Told {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for trouble in troublemakers {
            let is_over = &is_over;
            scope.spawn(move || trouble(is_over));
        }
        let writers: Vec<_> = writers
            .into_iter()
            .map(|writer| scope.spawn(writer))
            .collect();
        let mut all = Told::default();
        for writer in writers {
            if let Ok(told) = writer.join() {
                all.acknowledged.extend(told.acknowledged);
                all.refused += told.refused;
            }
        }
        is_over.store(true, Ordering::Relaxed);
        all
    })
}

/// Does something again and again, until it is over.
pub(crate) fn again_and_again(is_over: &AtomicBool, pause: Duration, mut act: impl FnMut()) {
    while !is_over.load(Ordering::Relaxed) {
        act();
        thread::sleep(pause);
    }
}

/// Runs `ckpt`, and with some probability kills it, or stops it for a moment.
pub(crate) fn risky(world: &World, line: &str, random: &mut Random, risk: usize) -> Option<i32> {
    let mut command = world.command(&world.binary);
    command.args(crate::world::words(line));
    command.stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null());
    let mut child = command.spawn().ok()?;
    if random.below(100) < risk {
        let delay = Duration::from_micros(random.below(4000) as u64);
        thread::sleep(delay);
        let id = rustix::process::Pid::from_child(&child);
        match random.below(2) {
            0 => drop(child.kill()),
            _ => {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::STOP);
                thread::sleep(Duration::from_millis(random.below(30) as u64));
                let _ = rustix::process::kill_process(id, rustix::process::Signal::CONT);
            }
        }
    }
    child.wait().ok()?.code()
}

/// Counts which acknowledged changes are missing, and whether everything can be read.
pub(crate) fn settle(
    world: &World,
    told: &Told,
    present: Result<String, String>,
    when: &str,
    counts: &mut Counts,
) {
    counts.points += told.acknowledged.len() + told.refused;
    counts.old += told.refused;
    counts.new += told.acknowledged.len();
    match present {
        Err(reason) => counts.bad("unreadable", when, &reason),
        Ok(present) => {
            for name in &told.acknowledged {
                if !present.contains(name) {
                    counts.bad("lost", when, name);
                }
            }
        }
    }
    let litter = world.litter();
    if !litter.is_empty() {
        counts.bad("litter", when, &litter.join(", "));
    }
    if told.acknowledged.is_empty() {
        counts.bad("lost", when, "nothing was acknowledged at all");
    }
}

/// Whether something becomes true within a while.
pub(crate) fn soon(mut is_true: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if is_true() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
}
