use super::*;

#[test]
fn a_document_is_where_its_place_says() {
    let layout = Layout::new(Path::new("/repository"));
    for name in [
        "ship",
        "implement/auth",
        "pipeline:PRD-003",
        "plan:260220-1149-login",
    ] {
        let key = Key::parse(name).unwrap();
        assert_eq!(
            layout.document(&key),
            layout.place(&key).document().path,
            "{name}"
        );
    }
}

#[test]
fn the_archive_of_something_deleted_names_it_and_the_time() {
    let kept_as = KeptAs::of(&Key::parse("implement/v1.2").unwrap());
    let path = kept_as.deleted("20260129T103000.000Z");
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(KeptAs::of_deleted("command", name), Some(kept_as));
    assert_eq!(KeptAs::of_deleted("command", "implement-auth.zst"), None);
}
