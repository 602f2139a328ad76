use super::*;

#[test]
fn reserved_names_get_a_suffix() {
    assert_eq!(not_reserved("con".into()), "con_");
    assert_eq!(not_reserved("lpt1.x".into()), "lpt1_.x");
    assert_eq!(not_reserved("console".into()), "console");
}
