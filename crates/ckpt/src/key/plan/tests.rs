use super::*;

#[test]
fn a_plan_is_called_what_its_directory_is_called() {
    assert_eq!(
        PlanId::new("260220-1149-feature").unwrap().as_str(),
        "260220-1149-feature"
    );
    for bad in ["", ".", "..", "a/b", "../x", ".hidden", "a:b", "con", "x."] {
        assert_eq!(
            PlanId::new(bad),
            Err(KeyError::Plan(bad.to_owned())),
            "{bad:?}"
        );
    }
}
