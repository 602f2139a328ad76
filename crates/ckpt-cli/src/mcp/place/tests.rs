use super::*;

#[test]
fn a_root_is_a_path_with_its_bytes() {
    let read = |uri| path_of(uri).map(PathBuf::into_os_string);
    assert_eq!(read("file:///home/a"), Some("/home/a".into()));
    assert_eq!(read("file://localhost/home/a"), Some("/home/a".into()));
    assert_eq!(read("file:///a%20b%25"), Some("/a b%".into()));
    assert_eq!(read("file:///a%2"), Some("/a%2".into()));
    assert_eq!(
        read("file:///a%ff"),
        Some(OsString::from_vec(b"/a\xff".to_vec()))
    );
    assert_eq!(read("https://example.com/a"), None);
    assert_eq!(read("file://nothing"), None);
}
