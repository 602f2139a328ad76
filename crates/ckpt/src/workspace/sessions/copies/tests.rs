use super::*;

#[test]
fn a_copy_is_due_after_so_many_prompts_and_one_makes_it() {
    let mut copies = Copies::default();
    assert_eq!(copies.claim(4, "p4"), None);
    assert_eq!(copies.claim(5, "p5"), Some(1));
    assert_eq!(
        copies.claim(6, "p6"),
        None,
        "another process has claimed it"
    );
    copies.give_back("p6");
    assert_eq!(copies.claim(6, "p6"), None, "that was not theirs to give");
    copies.give_back("p5");
    assert_eq!(copies.claim(6, "p6"), Some(1));
    copies.finish(1);
    assert_eq!(copies.claim(9, "p9"), None);
    assert_eq!(copies.claim(10, "p10"), Some(2));
}

#[test]
fn a_copy_that_becomes_due_while_the_one_before_is_made_is_made_too() {
    let mut copies = Copies::default();
    let first = copies.claim(5, "p5").unwrap();
    assert_eq!(copies.claim(10, "p10"), None);
    copies.finish(first);
    assert_eq!(copies.claim(11, "p11"), Some(2));
}

#[test]
fn whoever_is_killed_at_it_leaves_it_to_the_next() {
    let mut copies = Copies::default();
    copies.claim(5, "p5");
    let claim = copies.claim.as_mut().unwrap();
    // The process id was reused since.
    claim.by.started = claim.by.started.map(|started| started + 1);
    claim.by.boot = Some("another".to_owned());
    assert_eq!(copies.claim(6, "p6"), Some(1));
}
