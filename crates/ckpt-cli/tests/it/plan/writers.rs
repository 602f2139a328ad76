//! Many processes and an editor change a plan at the same time.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::environment::Environment;

const FILE: &str = "plans/260220-1149-login/plan.md";

/// When a tick was asked for and when it was acknowledged.
struct Ticked {
    task: usize,
    asked: Instant,
    acknowledged: Instant,
}

/// What an editor saved, and between which moments it replaced the file.
struct Saved {
    text: String,
    from: Instant,
    to: Instant,
}

fn has_tick(text: &str, task: usize) -> bool {
    text.contains(&format!("- [x] Task <!-- TASK: t{task} -->"))
}

/// Twenty processes tick ten tasks each, while an editor saves five times what it read before. What
/// it overwrites is recorded, and nothing else is lost.
#[test]
fn twenty_processes_and_an_editor_lose_nothing_of_each_other() {
    let environment = Environment::new();
    let mut text = String::from("# Plan\n");
    for task in 0..200 {
        text += &format!("- [ ] Task <!-- TASK: t{task} -->\n");
    }
    let path = environment.write(FILE, &text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    let (ticks, saves) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..20)
            .map(|writer| {
                let environment = &environment;
                scope.spawn(move || tick_ten(environment, writer))
            })
            .collect();
        let editor = scope.spawn(|| save_five_times(path.parent().unwrap()));
        let ticks = writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap());
        (ticks.collect::<Vec<Ticked>>(), editor.join().unwrap())
    });
    environment.ckpt(&["plan", "sync"]).exits(0);
    let after = environment.read(FILE);
    for edit in 0..5 {
        let line = format!("Edit {edit}\n");
        assert!(after.contains(&line), "prose edit {edit} is lost");
    }
    let history = environment.read("plans/260220-1149-login/.checkpoint/history.jsonl");
    let count = |needle: &str| history.lines().filter(|line| line.contains(needle)).count();
    for tick in ticks {
        let task = tick.task;
        let by = task / 10;
        let completed = format!(r#""event":"task_completed","taskId":"t{task}","by":"team:{by}""#);
        assert_eq!(count(&completed), 1, "t{task}");
        let any = format!(r#""event":"task_completed","taskId":"t{task}""#);
        assert_eq!(count(&any), 1, "t{task}");
        let reopened = count(&format!(r#""event":"task_reopened","taskId":"t{task}""#));
        assert_eq!(reopened, usize::from(!has_tick(&after, task)), "t{task}");
        let without = || saves.iter().filter(|saved| !has_tick(&saved.text, task));
        if without().any(|saved| tick.acknowledged < saved.from) {
            assert_eq!(reopened, 1, "t{task} was overwritten");
        }
        if reopened > 0 {
            let overwritten = without().any(|saved| tick.asked < saved.to);
            assert!(overwritten, "t{task} was lost by nobody's save");
        }
    }
}

fn tick_ten(environment: &Environment, writer: usize) -> Vec<Ticked> {
    let by = format!("team:{writer}");
    let tick = |task: usize| {
        let asked = Instant::now();
        let name = format!("t{task}");
        environment
            .ckpt(&["plan", "done", &name, "--by", &by])
            .exits(0);
        Ticked {
            task,
            asked,
            acknowledged: Instant::now(),
        }
    };
    (writer * 10..writer * 10 + 10).map(tick).collect()
}

/// Saves as editors do: reads, lets the user type, writes a new file and renames it.
fn save_five_times(directory: &Path) -> Vec<Saved> {
    let plan = directory.join("plan.md");
    let beside = directory.join(".swp");
    let save = |edit: u32| {
        let text = format!("{}Edit {edit}\n", std::fs::read_to_string(&plan).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        std::fs::write(&beside, &text).unwrap();
        let from = Instant::now();
        let moved = Command::new("mv").arg(&beside).arg(&plan).status();
        assert!(moved.unwrap().success());
        let to = Instant::now();
        std::thread::sleep(Duration::from_millis(50));
        Saved { text, from, to }
    };
    (0..5).map(save).collect()
}
