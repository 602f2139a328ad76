use super::super::{Change, Claimed, Helper, ItemKind, Present, Refusal, Source, Tick};
use super::super::{claim, give_up, helper_started, tick};
use super::*;
use crate::document::Document;
use crate::plan::Freed;

const PLAN: &str = "- [ ] Form <!-- TASK: form -->\n- [ ] Page <!-- TASK: page -->\n\
    - [x] Logo <!-- TASK: logo -->\n";

fn time(minute: u32) -> Timestamp {
    Timestamp::parse(&format!("2026-02-20T11:{minute:02}:00.000Z")).unwrap()
}

fn outline() -> Outline {
    let source = Source {
        name: "plan.md",
        text: PLAN.as_bytes(),
    };
    Outline::read(&[source]).unwrap()
}

/// A state in which an agent has claimed tasks, last heard from at a minute.
fn held(agent: &str, tasks: &str, minute: u32) -> Object {
    let text = format!(
        r#"{{"agents": {{"{agent}": {{"type": "team", "assignedTasks": {tasks}, "lastActive": "{}", "session": "s9"}}}}}}"#,
        time(minute)
    );
    let value = Document::parse(&text).unwrap().value();
    value.into_object().unwrap()
}

fn there(state: &Object, minute: u32, gone: &[String]) -> There {
    let place = ("../site", Some("side"));
    There::read(place, (&outline(), state), time(minute), gone)
}

/// What a worktree says in which `team:1` has claimed these tasks at minute 0.
fn elsewhere(tasks: &str, minute: u32) -> Elsewhere {
    let there = there(&held("team:1", tasks, 0), minute, &[]);
    Elsewhere::new(vec![there], Scope::Repository)
}

fn run<T>(state: &Object, operation: impl Fn(&Present<'_>) -> T) -> T {
    let sources = [Source {
        name: "plan.md",
        text: PLAN.as_bytes(),
    }];
    operation(&Present {
        sources: &sources,
        outline: &outline(),
        state,
        now: time(5),
        by: "team:1",
        agent: None,
        session: Some("s9"),
        gone: &[],
    })
}

fn claimed(tasks: &[&str], elsewhere: &Elsewhere) -> Result<Change, Refusal> {
    let tasks: Vec<String> = tasks.iter().map(|&task| task.to_owned()).collect();
    run(&Object::new(), |present| claim(present, &tasks, elsewhere))
}

#[test]
fn a_task_claimed_in_another_worktree_is_refused_with_the_place() {
    let elsewhere = elsewhere(r#"["form"]"#, 5);
    // Even by the same name in the same session: it can only be released there.
    let refused = claimed(&["page", "form"], &elsewhere).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "\"form\" is claimed by team:1 in ../site until 2026-02-20T11:30:00.000Z, or longer while they are active"
    );
    claimed(&["page"], &elsewhere).unwrap();
}

#[test]
fn a_claim_elsewhere_holds_a_minute_longer_than_here_and_ends_with_its_session() {
    let state = held("team:1", r#"["form"]"#, 0);
    assert!(!claims(&state, time(30), &[])["form"].live);
    assert!(elsewhere(r#"["form"]"#, 30).claim_on("form").is_some());
    assert!(elsewhere(r#"["form"]"#, 31).claim_on("form").is_none());
    let gone = there(&state, 5, &["s9".to_owned()]);
    assert_eq!(gone.claims, HashMap::new());
}

#[test]
fn a_task_that_is_done_there_is_no_claim_and_one_that_is_unknown_there_is() {
    let elsewhere = elsewhere(r#"["logo", "elder"]"#, 5);
    assert!(elsewhere.claim_on("logo").is_none());
    let there = elsewhere.done_in("logo").unwrap();
    assert_eq!((there.place(), there.branch()), ("../site", Some("side")));
    assert!(elsewhere.claim_on("elder").is_some());
}

#[test]
fn a_claim_that_others_do_not_see_says_so() {
    let local = Elsewhere::new(Vec::new(), Scope::Local);
    let scope = |change: &Change| change.events[0].fields.get("scope").cloned();
    assert_eq!(
        scope(&claimed(&["form"], &local).unwrap()),
        Some("local".into())
    );
    let everywhere = claimed(&["form"], &Elsewhere::default()).unwrap();
    assert_eq!(scope(&everywhere), None);
}

#[test]
fn a_task_that_somebody_is_at_work_on_elsewhere_is_not_ticked_unless_claims_are_ignored() {
    let elsewhere = elsewhere(r#"["form"]"#, 5);
    let ticked = |claimed: Claimed<'_>| {
        run(&Object::new(), |present| {
            tick(
                present,
                ItemKind::Task,
                &["form".to_owned()],
                Tick::Done,
                claimed,
            )
        })
    };
    let refused = ticked(Claimed::Refuse(&elsewhere)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "\"form\" is claimed by team:1 in ../site, who is at work on it"
    );
    ticked(Claimed::Ignore).unwrap();
}

#[test]
fn a_sub_agent_is_not_given_what_others_have_and_its_start_says_who() {
    let helper = Helper {
        id: "h1".to_owned(),
        kind: "team".to_owned(),
        tasks: ["form", "page"].map(str::to_owned).to_vec(),
        ..Helper::default()
    };
    let elsewhere = elsewhere(r#"["form"]"#, 5);
    let change = run(&Object::new(), |present| {
        helper_started(present, &helper, &elsewhere)
    });
    let fields = Value::Object(change.events[0].fields.clone()).to_compact();
    assert_eq!(
        fields,
        r#"{"agentType":"team","tasks":["page"],"agentId":"h1","held":{"form":"team:1 in ../site"}}"#
    );
}

#[test]
fn claims_here_and_elsewhere_are_seen_together() {
    let here = claims(&held("team:2", r#"["page"]"#, 5), time(5), &[]);
    let all = elsewhere(r#"["form", "page"]"#, 5).joined(here);
    assert_eq!(all["form"].holder(), "team:1 in ../site");
    assert_eq!(all["page"].holder(), "team:2");
    let lapsed = claims(&held("team:2", r#"["page"]"#, 5), time(50), &[]);
    let all = elsewhere(r#"["page"]"#, 5).joined(lapsed);
    assert_eq!(all["page"].holder(), "team:1 in ../site");
}

#[test]
fn a_claim_that_did_not_hold_before_a_change_returns_with_it_unless_it_is_made_anew() {
    let before = held("team:1", r#"["form", "logo", "page"]"#, 0);
    let mut after = held("team:1", r#"["form", "logo", "page"]"#, 40);
    let events = [Event::new(crate::history::EventName::TaskClaimed).with("taskId", "page")];
    let returned = |before: Option<&Object>, minute: u32| {
        let both = (&after, &outline());
        returned(before, both, time(minute), &[], &events)
    };
    let lapsed = returned(Some(&before), 40);
    // Another task was claimed anew, and the third is done.
    assert_eq!(lapsed, [("form".to_owned(), "team:1".to_owned())]);
    assert_eq!(returned(Some(&before), 20), []);
    assert_eq!(returned(None, 20), lapsed);
    assert_eq!(returned(Some(&held("team:1", "[]", 0)), 20), lapsed);
    let somebody_else = held("team:2", r#"["form"]"#, 0);
    assert_eq!(returned(Some(&somebody_else), 20), lapsed);
    let mut done = before.clone();
    let record = done.object_mut("phases").object_mut("build");
    let record = record.object_mut("tasks").object_mut("form");
    record.set("done", true);
    assert_eq!(returned(Some(&done), 20), lapsed);
    let events = give_up(&mut after, &lapsed);
    let fields = Value::Object(events[0].fields.clone()).to_compact();
    assert_eq!(
        fields,
        r#"{"taskId":"form","by":"team:1","reason":"lapsed"}"#
    );
    assert!(!claims(&after, time(40), &[]).contains_key("form"));
    let by = "team:1".to_owned();
    let task = "form".to_owned();
    assert_eq!(Freed::by_events(&events), [Freed { task, by }]);
}
