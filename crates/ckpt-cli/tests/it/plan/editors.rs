//! Editors and git beside us: whatever they save stays, however they save it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use crate::support::environment::{CKPT, Run};
use crate::support::planned::{HISTORY, Planned};
use crate::support::tool;

/// How an editor saves a text.
type Save = fn(&Path, &str);

const STYLES: [(&str, Save); 6] = [
    ("in one piece", |path, text| fs::write(path, text).unwrap()),
    ("opened a while before", |path, text| {
        let mut file = File::create(path).unwrap();
        sleep(Duration::from_millis(2));
        file.write_all(text.as_bytes()).unwrap();
    }),
    ("through a slow pipe", |path, text| {
        let mut file = File::create(path).unwrap();
        for piece in pieces(text) {
            sleep(Duration::from_millis(8));
            file.write_all(piece).unwrap();
        }
    }),
    ("in pieces, closed between them", |path, text| {
        File::create(path).unwrap();
        for piece in pieces(text) {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(piece).unwrap();
            drop(file);
            sleep(Duration::from_millis(8));
        }
    }),
    ("renamed into place", |path, text| {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }),
    ("with the old one as a backup", |path, text| {
        fs::rename(path, path.with_extension("md~")).unwrap();
        sleep(Duration::from_millis(1));
        fs::write(path, text).unwrap();
    }),
];

fn pieces(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().chunks(text.len() / 4 + 1)
}

/// A plan of a few kilobytes, with a line for each of the editor's saves.
fn plan() -> String {
    let tasks = (0..40).map(|at| format!("- [ ] Do number {at} <!-- TASK: t{at} -->\n"));
    format!(
        "# Work\n\n## Build\n<!-- CHECKPOINT: build -->\n{}\nSaved 0 times.\n",
        tasks.collect::<String>()
    )
}

fn is_done_or_busy(run: &Run) -> bool {
    run.code == Some(0) || run.code == Some(5) && run.stderr.contains("by another program")
}

/// Does something again and again beside us ticking and unticking a task, at least as often as given, and until some of our
/// changes were made.
fn beside(planned: &Planned, turns: usize, mut other: impl FnMut(usize) + Send) {
    let (is_over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    scope(|scope| {
        let ticking = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for verb in ["done", "undo"] {
                    let run = planned.plan(&[verb, "t7"]);
                    let is_gone = run.stderr.contains("plan.md is missing");
                    assert!(is_done_or_busy(&run) || is_gone, "{run}");
                    done.fetch_add(usize::from(run.code == Some(0)), Ordering::Relaxed);
                }
            }
        });
        let over = Over(&is_over);
        for turn in 1.. {
            let is_enough = turn > turns && done.load(Ordering::Relaxed) >= ENOUGH;
            assert!(turn < 20 * turns, "nothing of ours was done");
            if is_enough || ticking.is_finished() {
                break;
            }
            other(turn);
            // Even somebody who saves all the time stops to think.
            if turn % 5 == 0 {
                sleep(Duration::from_millis(200));
            }
        }
        drop(over);
        ticking.join().unwrap();
    });
}

/// Ends the ticking, also if something panics.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How many changes of ours there must be. One that comes between two saves again and again is refused.
const ENOUGH: usize = 2;

fn count(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("Saved "));
    line?.strip_suffix(" times.")?.parse().ok()
}

/// Whether a save is in place. For an instant it may be out of place, until we have put it back.
fn is_there(path: &Path, save: usize) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match fs::read_to_string(path) {
            Ok(text) if count(&text) == Some(save) => return true,
            _ if Instant::now() > deadline => return false,
            _ => sleep(Duration::from_millis(1)),
        }
    }
}

#[test]
fn no_style_of_saving_loses_a_text_beside_our_changes() {
    for (style, save) in STYLES {
        let planned = Planned::new(plan());
        planned.does(&["sync"]);
        let path = planned.path(&planned.name("plan.md"));
        let mut lost = Vec::new();
        beside(&planned, 25, |turn| {
            // What the editor loaded may be older than what it saves over, as with any editor.
            let before = format!("Saved {} times.", turn - 1);
            let text = loop {
                match fs::read_to_string(&path) {
                    Ok(text) if text.contains(&before) => break text,
                    _ if lost.contains(&(turn - 1)) => break plan(),
                    _ => sleep(Duration::from_millis(1)),
                }
            };
            let start = text.find("Saved ").unwrap();
            save(&path, &format!("{}Saved {turn} times.\n", &text[..start]));
            if !is_there(&path, turn) {
                lost.push(turn);
            }
        });
        assert_eq!(lost, [0usize; 0], "{style}");
        let text = planned.markdown();
        assert_eq!(text.matches("TASK: ").count(), 40, "{style}: {text}");
        let orphans = fs::read_dir(path.parent().unwrap()).unwrap().flatten();
        let orphans = orphans.filter(|entry| entry.file_name().to_string_lossy().contains("ckpt"));
        assert_eq!(orphans.count(), 0, "{style}: litter");
        let removed = planned.text(HISTORY).matches("task_removed").count();
        assert_eq!(
            removed, 0,
            "{style}: half of a text was taken for the whole"
        );
    }
}

#[test]
fn git_checks_out_other_versions_beside_our_changes() {
    let planned = Planned::new(plan());
    planned.does(&["sync"]);
    let other = plan().replace("Saved 0", "Saved 1");
    planned.git(&["add", "--force", &planned.name("plan.md")]);
    planned.git(&["commit", "--quiet", "-m", "one"]);
    planned.git(&["branch", "one"]);
    planned.put("plan.md", &other);
    planned.git(&["commit", "--quiet", "--all", "-m", "other"]);
    planned.git(&["branch", "other"]);
    let path = planned.path(&planned.name("plan.md"));
    let mut lost = 0;
    beside(&planned, 60, |turn| {
        let branch = ["one", "other"][turn % 2];
        // It fails if a file stands where git is about to create one.
        planned.git(&["checkout", "--quiet", "--force", branch]);
        lost += usize::from(!is_there(&path, turn % 2));
    });
    assert_eq!(lost, 0, "another version than the one that was checked out");
}

#[test]
fn a_plan_that_somebody_keeps_open_is_left_alone() {
    let planned = Planned::new(plan());
    planned.does(&["sync"]);
    let held = OpenOptions::new()
        .append(true)
        .open(planned.path(&planned.name("plan.md")))
        .unwrap();
    let mut command = planned.command(CKPT);
    command.args(["plan", "done", "t1"]);
    let run = Run::of(command.env("CKPT_LOCK_TIMEOUT_MS", "100"));
    let reason = run.exits(5).reason().to_owned();
    assert!(
        reason.contains("plan.md is being written by another program. Nothing was changed"),
        "{reason}"
    );
    drop(held);
    planned.does(&["done", "t1"]);
}

#[test]
fn a_text_is_recorded_only_when_whoever_writes_it_has_closed_the_file() {
    let planned = Planned::new(plan());
    planned.does(&["sync"]);
    // It becomes longer with each piece, so its length says nothing.
    let last = "- [x] The last <!-- TASK: last -->\n";
    let mut file = OpenOptions::new()
        .append(true)
        .open(planned.path(&planned.name("plan.md")))
        .unwrap();
    file.write_all(b"- [x] The first <!-- TASK: first -->\n")
        .unwrap();
    scope(|scope| {
        let syncing = scope.spawn(|| planned.does(&["sync"]));
        sleep(Duration::from_millis(300));
        file.write_all(last.as_bytes()).unwrap();
        drop(file);
        syncing.join().unwrap();
    });
    assert_eq!(planned.task("build", "last")["done"], true);
}

#[test]
fn a_text_that_became_shorter_is_recorded_only_after_a_quiet_moment() {
    // A machine that stops for a moment makes a quiet moment of its own.
    for _ in 0..10 {
        let planned = Planned::new(plan());
        planned.does(&["sync"]);
        let path = planned.path(&planned.name("plan.md"));
        let whole = planned.markdown();
        let half = &whole[..whole.len() / 2];
        let mut longest = Duration::ZERO;
        let write = |text: &str| {
            fs::write(&path, text).unwrap();
            Instant::now()
        };
        let mut last = write(half);
        scope(|scope| {
            let syncing = scope.spawn(|| planned.plan(&["sync"]));
            for turn in 0..30 {
                sleep(Duration::from_millis(10));
                let now = write(if turn < 29 { half } else { &whole });
                longest = longest.max(now - last);
                last = now;
            }
            assert!(is_done_or_busy(&syncing.join().unwrap()));
        });
        if longest < Duration::from_millis(90) {
            assert_eq!(planned.tasks_of("task_removed"), [""; 0]);
            return;
        }
    }
    panic!("this machine is too busy to tell");
}

#[test]
fn an_editor_that_has_the_file_of_a_crashed_change_open_is_waited_for() {
    let planned = Planned::new(plan());
    planned.does(&["sync"]);
    // A change died right after it put its own text in the place of the file that the editor had opened.
    let name = planned.name(".plan.md.ckpt-tmp");
    let mut file = File::create(planned.path(&name)).unwrap();
    scope(|scope| {
        let noting = scope.spawn(|| planned.does(&["note", "Hello"]));
        sleep(Duration::from_millis(300));
        file.write_all(b"What the editor saved.\n").unwrap();
        drop(file);
        noting.join().unwrap();
    });
    let kept = planned.kept("plan.md.orphan-");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(planned.text(&kept[0]), "What the editor saved.\n");
}

/// The system grants leases to the owner of a file and to the privileged only. In a container, root is often neither.
#[test]
fn a_plan_that_somebody_keeps_open_is_left_alone_without_a_lease_too() {
    let without_leases = ["--bounding-set=-lease", "--inh-caps=-lease"];
    if !tool::works("setpriv", &[&without_leases[..], &["true"]].concat()) {
        return;
    }
    let planned = Planned::new(plan());
    planned.does(&["sync"]);
    let path = planned.path(&planned.name("plan.md"));
    if std::os::unix::fs::chown(&path, Some(65534), None).is_err() {
        return;
    }
    let changed = |task: &str| {
        let mut command = planned.command("setpriv");
        command.args(without_leases).arg(CKPT);
        command.args(["plan", "done", task]);
        Run::of(command.env("CKPT_LOCK_TIMEOUT_MS", "100"))
    };
    let mut editor = planned.command("setpriv");
    editor.args(without_leases).args(["sh", "-c"]);
    editor.arg("exec 3>>\"$0\"; echo open; read line; echo \"$line\" >&3");
    editor
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut editor = editor.spawn().unwrap();
    let mut opened = [0; 5];
    editor
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut opened)
        .unwrap();
    let reason = changed("t1").exits(5).reason().to_owned();
    assert!(
        reason.contains("plan.md is being written by another program"),
        "{reason}"
    );
    writeln!(editor.stdin.as_mut().unwrap(), "Saved at last.").unwrap();
    editor.wait().unwrap();
    changed("t1").exits(0);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("Saved at last.\n"), "{text}");
}
