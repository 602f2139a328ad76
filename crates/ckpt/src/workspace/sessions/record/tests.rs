//! Behaviour of session records.

use super::*;
use crate::document::{Document, Node};
use crate::seal::SealKey;

fn record() -> SessionRecord {
    SessionRecord {
        agent: "claude".to_owned(),
        id: "s1".to_owned(),
        ..SessionRecord::default()
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_771_588_800_000 + second * 1000).unwrap()
}

fn asked(names: &[&str]) -> Asked {
    Asked {
        tasks: tasks(names),
        prompt: format!("Do {}.", names.join(" and ")),
    }
}

fn tasks(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_same_prompt_counts_once_and_a_copy_is_due_until_it_is_made() {
    let mut record = record();
    for prompt in [Some("a"), Some("a"), Some("b"), None, None] {
        record.count_prompt(prompt, "go on");
        assert_eq!(record.claim_copy(prompt), None);
    }
    for _ in 0..2 {
        record.count_prompt(Some("e"), "go on");
        assert_eq!(record.claim_copy(Some("e")), Some(1));
        // The backup was not made.
        record.give_back_copy(Some("e"));
    }
    record.remember_copy(1);
    assert_eq!(record.claim_copy(Some("e")), None);
}

#[test]
fn a_session_is_asked_to_continue_once_per_task_and_not_forever() {
    let mut record = record();
    assert!(record.may_nudge("t0"));
    assert!(!record.may_nudge("t0"));
    let asked = (1..20).filter(|number| record.may_nudge(&format!("t{number}")));
    assert_eq!(asked.count() as u64, MOST_NUDGES - 1);
}

#[test]
fn a_sub_agent_is_sent_back_once_however_many_hooks_tell_of_it() {
    let mut record = record();
    assert_eq!(record.send_back("d", "x", at(0)), SendingBack::Now);
    assert_eq!(record.send_back("d", "x", at(1)), SendingBack::Again);
    assert_eq!(record.send_back("d", "y", at(2)), SendingBack::Over);
    assert_eq!(record.send_back("d", "x", at(60)), SendingBack::Over);
    assert_eq!(record.send_back("e", "x", at(61)), SendingBack::Now);
}

#[test]
fn what_sub_agents_are_asked_is_handed_out_by_kind_in_order_once_for_each_call() {
    let mut record = record();
    for _ in 0..2 {
        record.remember_spawn("c1", "a", &asked(&["t1", "t2"]), at(0));
        record.remember_spawn("c2", "b", &asked(&["t3"]), at(0));
        record.remember_spawn("c3", "a", &asked(&["t4"]), at(0));
    }
    assert_eq!(record.take_spawn("a", "d"), Some(asked(&["t1", "t2"])));
    assert_eq!(
        record.take_spawn("a", "d"),
        Some(asked(&["t1", "t2"])),
        "it is the same one"
    );
    record.remember_spawn("c1", "a", &asked(&["t1", "t2"]), at(1));
    assert_eq!(record.take_spawn("a", "e"), Some(asked(&["t4"])));
    assert_eq!(record.take_spawn("a", "f"), None);
    record.remember_spawn("c4", "c", &asked(&[]), at(3600));
    assert_eq!(record.take_spawn("b", "g"), None, "it never began");
}

#[test]
fn a_report_is_kept_until_its_sub_agent_has_ended_and_no_more_than_there_is_room_for() {
    let mut record = record();
    record.remember_report("d", &"é".repeat(LONGEST_REPORT));
    assert_eq!(record.report("d").unwrap().len(), LONGEST_REPORT);
    record.remember_report("d", "done");
    assert_eq!(record.report("d"), Some("done"));
    record.forget_report("d");
    assert_eq!(record.report("d"), None);
}

#[test]
fn a_commit_that_moves_is_noticed_once_and_so_is_a_compaction() {
    let mut record = record();
    let seen = [Some("1"), Some("1"), Some("2"), None, Some("2")];
    let before = seen.map(|head| record.look_at(head));
    assert_eq!(before, [None, None, Some("1".to_owned()), None, None]);
    let noted = [0, 1, 60].map(|second| record.may_note_compaction(at(second)));
    assert_eq!(noted, [true, false, true]);
    // The process that claimed it last may not have recorded it.
    let noted = [70, 71].map(|second| record.may_still_note_compaction(at(61), at(second)));
    assert_eq!(noted, [true, false]);
}

#[test]
fn a_session_can_continue_after_its_end_but_not_because_of_an_event_from_before_its_goodbye() {
    let mut record = record();
    record.goodbye_at = Some(at(10).to_string());
    record.ended_at = Some(at(20).to_string());
    record.go_on(at(5));
    assert!(record.is_over());
    record.go_on(at(15));
    assert!(!record.is_over(), "telling of its end took a while");
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let mut record = record();
    record.prompts = 10;
    record.count_prompt(Some("p"), "");
    record.remember_copy(1);
    assert_eq!(record.claim_copy(Some("p")), Some(2));
    record.may_nudge("t");
    record.send_back("d", "x", at(0));
    record.remember_spawn("c", "a", &asked(&["t1"]), at(0));
    record.remember_report("d", "all is done");
    record.look_at(Some("1"));
    record.may_note_compaction(at(0));
    record.process = Some(ProcessMark::current());
    record.teller = Some(ProcessMark::current());
    record.goodbye_at = Some(at(1).to_string());
    record.ended_at = Some(at(2).to_string());
    record.seen_at = at(0).to_string();
    record.remember_transcript("d", "/t");
    let seals = Seals::with(SealKey::new([7; 32]));
    let document = Document::from_bytes(record.written(&seals)).unwrap();
    assert_eq!(SessionRecord::read(&document, &seals), Some(record));
    let stranger = Seals::with(SealKey::new([8; 32]));
    assert_eq!(SessionRecord::read(&document, &stranger), None);
}

#[test]
fn the_file_of_a_record_is_as_earlier_versions_wrote_it() {
    let mut record = record();
    record.prompts = 5;
    record.send_back("d", "x", at(0));
    record.remember_spawn("c", "a", &asked(&["t1", "t2"]), at(1));
    record.remember_report("d", "done");
    record.process = Some(ProcessMark {
        id: 7,
        started: Some(9),
        boot: None,
    });
    let hash = ContentHash::of(b"x");
    let expected = format!(
        concat!(
            r#"{{"agent":"claude","session_id":"s1","host":"","begun_at":"","seen_at":"","process":{{"pid":7,"started":9}},"#,
            r#""prompts":5,"copies":0,"compacted_at":0,"nudges":0,"sent_back":[["d","{hash}",1771588800000]],"#,
            r#""spawns":[["c","a","t1 t2","",1771588801000,"Do t1 and t2."]],"reports":[["d","done"]],"transcripts":[]}}"#,
            "\n"
        ),
        hash = hash
    );
    let written = record.written(&Seals::none());
    assert_eq!(String::from_utf8(written).unwrap(), expected);
}

#[test]
fn a_request_that_an_earlier_version_wrote_has_no_prompt() {
    let spawn: Spawn = serde_json::from_str(r#"["c","a","t1","",7]"#).unwrap();
    assert_eq!((spawn.tasks.as_str(), spawn.prompt.as_str()), ("t1", ""));
}

#[test]
fn members_of_other_versions_survive_a_change() {
    let seals = Seals::with(SealKey::new([7; 32]));
    let mut members = Document::from_bytes(record().written(&seals))
        .unwrap()
        .value();
    let members = members.as_object_mut().unwrap();
    let later = Document::parse(r#"{"list":[1,{"a":null}]}"#).unwrap();
    members.set("later", later.value());
    seals.seal(Domain::Session, "session:s1", members);
    let document = Document::from_value(&members.clone().into()).unwrap();
    let mut record = SessionRecord::read(&document, &seals).unwrap();
    record.count_prompt(None, "");
    let after = Document::from_bytes(record.written(&seals)).unwrap();
    let kept = after.root().get("later").map(Node::value);
    assert_eq!(kept, Some(later.value()));
    assert_eq!(SessionRecord::read(&after, &seals), Some(record));
}

#[test]
fn a_record_without_agent_or_id_is_none() {
    let seals = Seals::with(SealKey::new([7; 32]));
    for name in ["agent", "session_id"] {
        let mut members = Document::from_bytes(record().written(&seals))
            .unwrap()
            .value();
        let members = members.as_object_mut().unwrap();
        members.remove(name);
        seals.seal(Domain::Session, "session:s1", members);
        let document = Document::from_value(&members.clone().into()).unwrap();
        assert_eq!(SessionRecord::read(&document, &seals), None, "{name}");
    }
}

#[test]
fn the_last_prompts_of_the_user_are_kept() {
    let mut record = SessionRecord::default();
    for (id, text) in [
        ("1", "first"),
        ("2", "<task-notification>done</task-notification>"),
        ("3", "  second\n one "),
        ("3", "second one again"),
        ("4", "third"),
    ] {
        record.count_prompt(Some(id), text);
    }
    assert_eq!(record.asked, ["second one", "third"]);
    record.count_prompt(Some("5"), &"é".repeat(1_000));
    assert!(record.asked[1].len() <= 400);
}
