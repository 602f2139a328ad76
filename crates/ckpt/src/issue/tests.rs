use super::*;

#[test]
fn an_issue_has_a_team_and_a_number() {
    for (text, id) in [
        ("BAS-6", "BAS-6"),
        ("bas-6", "BAS-6"),
        ("V2-1161", "V2-1161"),
        ("abcdefghij-1234567", "ABCDEFGHIJ-1234567"),
    ] {
        assert_eq!(IssueId::parse(text).expect(text).as_str(), id);
    }
    for text in [
        "",
        "BAS",
        "BAS-",
        "-6",
        "6-6",
        "BAS-6x",
        "BAS 6",
        "BAS-6-7",
        "BAS--6",
        "BÄS-6",
        " BAS-6",
        "abcdefghijk-1",
        "BAS-12345678",
        "--branch",
        "BAS-6\n",
    ] {
        assert_eq!(IssueId::parse(text), Err(IssueIdError), "{text:?}");
    }
}

#[test]
fn a_branch_names_the_issue_and_the_feature() {
    let id = IssueId::parse("BAS-6").expect("an id");
    let long = "word-".repeat(20);
    for (prefix, feature, branch) in [
        ("feature", Some("login"), "feature/BAS-6-login"),
        ("feature", None, "feature/BAS-6"),
        ("", Some("Login form (v2)"), "BAS-6-login-form-v2"),
        ("team/x", Some("a..b~^:?*[\\@{"), "team/x/BAS-6-a-b"),
        ("feature", Some("日本"), "feature/BAS-6"),
        ("feature", Some("../../etc"), "feature/BAS-6-etc"),
        (
            "f",
            Some(long.as_str()),
            "f/BAS-6-word-word-word-word-word-word-word-word-word-word",
        ),
    ] {
        assert_eq!(id.branch(prefix, feature), branch);
    }
}
