use std::collections::HashSet;

use super::{last_open_task, of_size, with_tasks};

#[test]
fn a_plan_has_as_many_tasks_as_it_should_and_each_id_once() {
    let plan = with_tasks(5_000);
    let ids = plan
        .lines()
        .filter_map(|line| line.split_once("<!-- TASK: "));
    let ids: Vec<&str> = ids.map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 5_000);
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 5_000);
}

#[test]
fn a_plan_has_the_size_it_should_up_to_one_phase() {
    let size = of_size(100_000).len();
    assert!((100_000..110_000).contains(&size), "{size} bytes");
}

#[test]
fn the_last_open_task_is_found_behind_ticked_ones() {
    let plan = "- [ ] a <!-- TASK: a -->\n- [ ] b <!-- TASK: b -->\n- [x] c <!-- TASK: c -->\n";
    assert_eq!(last_open_task(plan), Some("b"));
}
