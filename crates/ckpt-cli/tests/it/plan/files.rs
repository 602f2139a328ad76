//! Plans that are not text, not files, or links.

use crate::support::environment::Run;
use crate::support::planned::{ID, Planned, TEXT};

#[test]
fn plans_with_bytes_that_are_not_text_can_be_ticked_decided_on_and_restored() {
    let mut bytes = b"# P\xff\xfe\x00\n- [ ] \xc3\x28 a\x00b <!-- TASK: a -->\n".to_vec();
    bytes.extend_from_slice(b"- [ ] b <!-- TASK: b -->\n\xf0\x9f\n");
    let planned = Planned::new(&bytes);
    let path = planned.path(&planned.name("plan.md"));
    planned.does(&["done", "a"]);
    let mut ticked = bytes.clone();
    let at = bytes.windows(3).position(|mark| mark == b"[ ]").unwrap();
    ticked[at + 1] = b'x';
    assert_eq!(std::fs::read(&path).unwrap(), ticked);
    planned.does(&["block", "x"]);
    planned.does(&["unblock", "x"]);
    assert_eq!(std::fs::read(&path).unwrap(), ticked);
    for (name, run) in planned.readers() {
        run.assert_no_panic(&name);
    }
    planned.remove("plan.md");
    planned.does(&["recover"]);
    assert_eq!(std::fs::read(&path).unwrap(), ticked, "byte for byte");
    assert_eq!(planned.tasks_of("task_completed"), ["a"]);
}

#[test]
fn a_plan_that_leads_out_of_the_repository_is_not_written_there() {
    let planned = Planned::new(TEXT);
    let outside = planned.base().join("outside.md");
    std::fs::write(&outside, TEXT).unwrap();
    planned.remove("plan.md");
    let link = planned.path(&planned.name("plan.md"));
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let run = planned.plan(&["done", "schema"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), TEXT);
    assert!(link.is_symlink());
}

#[test]
fn something_other_than_a_file_in_place_of_a_plan_is_an_error_and_nothing_waits_for_it() {
    let planned = Planned::worked();
    let state = planned.text(".checkpoint/state.json");
    let path = planned.path(&planned.name("plan.md"));
    for kind in ["mkdir", "mkfifo"] {
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        Run::of(planned.command(kind).arg(&path)).exits(0);
        for (name, run) in planned.readers() {
            run.assert_no_panic(&format!("{kind}, {name}"));
        }
        for command in [&["done", "roles"][..], &["sync"], &["recover"], &["mark"]] {
            let run = planned.plan(&[command, &["--plan", ID]].concat());
            run.assert_no_panic(kind);
            assert_ne!(run.code, Some(0), "{kind}, {command:?}: {run}");
            assert!(
                run.reason().contains("plan.md"),
                "{kind}, {command:?}: {run}"
            );
        }
        assert_eq!(planned.text(".checkpoint/state.json"), state, "{kind}");
    }
}
