use super::*;

#[test]
fn a_plan_that_we_name_begins_with_a_date_and_a_time() {
    let is_dated = |id: &str| PlanId::new(id).unwrap().is_dated();
    assert!(is_dated("260220-1149-feature") && is_dated("260220-1149"));
    for other in ["260220", "feature-1149", "26022-1149-x", "260220-feature"] {
        assert!(!is_dated(other), "{other}");
    }
}

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
