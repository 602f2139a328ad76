use super::*;

#[test]
fn this_process_is_alive_and_others_under_its_id_are_not_it() {
    let mark = ProcessMark::current();
    assert!(mark.is_alive());
    let document = crate::document::Document::from_value(&mark.written().into()).unwrap();
    assert_eq!(ProcessMark::read(document.root()), Some(mark.clone()));
    let earlier = ProcessMark {
        started: mark.started.map(|started| started - 1),
        ..mark.clone()
    };
    assert!(!earlier.is_alive());
    let other_boot = ProcessMark {
        boot: Some("another".into()),
        ..mark
    };
    assert!(!other_boot.is_alive());
}

#[test]
fn a_process_that_ended_is_gone_before_anybody_asks_after_it() {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let mark = ProcessMark {
        id: child.id(),
        started: None,
        boot: None,
    };
    let gone = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        !mark.is_alive()
    };
    assert!((0..400).any(gone));
    child.wait().unwrap();
}
