use super::*;

#[test]
fn a_bar_is_full_only_when_all_is_done() {
    assert_eq!(bar(0, 4), "░░░░░░░░░░ 0/4");
    assert_eq!(bar(3, 4), "███████░░░ 3/4");
    assert_eq!(bar(4, 4), "██████████ 4/4");
    assert_eq!(bar(0, 0), "░░░░░░░░░░ 0/0");
}
