use super::*;
use crate::document::Document;
use crate::finding::Severity;

fn read(text: &str) -> (Integrations, Vec<crate::Finding>) {
    Integrations::read(&Document::parse(text).unwrap())
}

/// The rules that a text breaks, with the places.
fn broken(text: &str) -> Vec<(&'static str, String)> {
    let (_, findings) = read(text);
    let broken = findings.into_iter().map(|finding| {
        assert_eq!(finding.severity, Severity::Error, "{finding}");
        (finding.rule, finding.pointer.to_string())
    });
    broken.collect()
}

fn variable(name: &str) -> SecretReference {
    SecretReference::Variable(name.to_owned())
}

const WHOLE: &str = r#"{
  "linear": {
    "enabled": true, "team": "Basecamp", "branch_prefix": "feature", "use_native_automation": false,
    "token": "env:LINEAR_API_KEY"
  },
  "vercel": {
    "enabled": true, "wait_for_preview": false, "preview_timeout_ms": 1500.5, "require_preview_success": true,
    "token": "file:~/vercel", "project": "shop", "team": "acme", "provider": "github"
  },
  "github": {"repository": "acme/shop", "token": "file:/run/token"},
  "webhooks": [
    {"name": "audit", "url": "https://example.com/hook", "secret": "env:AUDIT", "previous_secret": "env:AUDIT_OLD",
     "events": ["phase"], "format": "slack", "give_up_after_hours": 24},
    {"name": "chat", "url": "env:CHAT_URL", "secret": "env:CHAT", "events": []}
  ],
  "another": 1
}"#;

#[test]
fn every_setting_is_read() {
    let (read, findings) = read(WHOLE);
    assert_eq!(findings, []);
    let expected = Integrations {
        linear: Linear {
            enabled: true,
            team: "Basecamp".to_owned(),
            branch_prefix: "feature".to_owned(),
            use_native_automation: false,
            token: Some(variable("LINEAR_API_KEY")),
        },
        vercel: Vercel {
            enabled: true,
            wait_for_preview: false,
            preview_timeout_ms: 1501,
            require_preview_success: true,
            token: Some(SecretReference::File("~/vercel".to_owned())),
            project: Some("shop".to_owned()),
            team: Some("acme".to_owned()),
            provider: Provider::GitHub,
        },
        github: GitHub {
            repository: Some("acme/shop".to_owned()),
            token: Some(SecretReference::File("/run/token".to_owned())),
        },
        webhooks: vec![
            Webhook {
                name: FollowerName::new("audit").unwrap(),
                url: "https://example.com/hook".to_owned(),
                secret: Some(variable("AUDIT")),
                previous_secret: Some(variable("AUDIT_OLD")),
                events: vec!["phase".to_owned()],
                format: MessageFormat::Slack,
                give_up_after_hours: Some(24),
            },
            Webhook {
                name: FollowerName::new("chat").unwrap(),
                url: "env:CHAT_URL".to_owned(),
                secret: Some(variable("CHAT")),
                previous_secret: None,
                events: Vec::new(),
                format: MessageFormat::Generic,
                give_up_after_hours: None,
            },
        ],
    };
    assert_eq!(read, expected);
}

#[test]
fn what_is_missing_is_off() {
    for text in ["{}", r#"{"linear": {}, "vercel": {}, "webhooks": []}"#] {
        assert_eq!(read(text), (Integrations::default(), Vec::new()));
    }
    let none = Integrations::default();
    assert!(!none.linear.enabled && !none.vercel.enabled && none.webhooks.is_empty());
}

#[test]
fn a_wrong_type_is_an_error_at_its_place() {
    let places = [
        "linear/enabled",
        "linear/team",
        "linear/branch_prefix",
        "linear/use_native_automation",
        "linear/token",
        "vercel/enabled",
        "vercel/wait_for_preview",
        "vercel/preview_timeout_ms",
        "vercel/require_preview_success",
        "vercel/token",
        "vercel/project",
        "vercel/team",
        "vercel/provider",
        "github/repository",
        "github/token",
        "webhooks/0/name",
        "webhooks/0/url",
        "webhooks/0/secret",
        "webhooks/0/previous_secret",
        "webhooks/0/events",
        "webhooks/0/format",
        "webhooks/0/give_up_after_hours",
        "linear",
        "vercel",
        "github",
        "webhooks",
        "webhooks/0",
    ];
    for place in places {
        let mut value: serde_json::Value = serde_json::from_str(WHOLE).unwrap();
        let pointer = format!("/{place}");
        *value.pointer_mut(&pointer).unwrap() = serde_json::json!([[-1]]);
        // An empty list would be right for these.
        let at = match place {
            "webhooks" | "webhooks/0/events" => format!("{pointer}/0"),
            _ => pointer,
        };
        assert_eq!(
            broken(&value.to_string()),
            [("integrations.type", at)],
            "{place}"
        );
    }
    assert_eq!(
        broken("[]"),
        [("integrations.type", String::new())],
        "the whole"
    );
}

#[test]
fn a_wrong_switch_counts_as_what_does_less_and_the_rest_still_counts() {
    let text = r#"{
      "linear": {"enabled": "yes", "team": "Orbit", "use_native_automation": 0},
      "vercel": {"enabled": true, "wait_for_preview": null, "preview_timeout_ms": -1, "require_preview_success": "no"}
    }"#;
    let (read, findings) = read(text);
    assert_eq!(findings.len(), 5);
    let Integrations { linear, vercel, .. } = read;
    assert!(!linear.enabled && linear.use_native_automation);
    assert_eq!(linear.team, "Orbit");
    assert!(vercel.enabled && vercel.wait_for_preview && vercel.require_preview_success);
    assert_eq!(vercel.preview_timeout_ms, PREVIEW_TIMEOUT_MS);
}

#[test]
fn a_secret_in_the_file_is_an_error_that_does_not_show_it() {
    let text = r#"{
      "linear": {"enabled": true, "token": "hunter2"},
      "vercel": {"token": 4711},
      "github": {"token": ["hunter2"]},
      "webhooks": [
        {"name": "a", "url": "https://me:hunter2@example.com", "secret": "hunter2", "previous_secret": "hunter2", "events": []}
      ]
    }"#;
    let (read, findings) = read(text);
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    let secret = "integrations.secret";
    let expected = [
        secret,
        "integrations.type",
        "integrations.type",
        "integrations.webhook-url",
        secret,
        secret,
    ];
    assert_eq!(rules, expected);
    for finding in &findings {
        let shown = finding.to_string();
        assert!(
            !shown.contains("hunter2") && !shown.contains("4711"),
            "{shown}"
        );
    }
    assert_eq!(read.linear.token, None);
    assert!(read.linear.enabled);
    assert_eq!(read.webhooks, []);
}

#[test]
fn a_reference_names_a_variable_or_a_file() {
    for text in ["env:A", "env:_a1", "file:/a b", "file:~/.secrets/x"] {
        let reference = SecretReference::parse(text).unwrap();
        assert_eq!(reference.to_string(), text);
        let json = serde_json::to_string(&reference).unwrap();
        let back: SecretReference = serde_json::from_str(&json).unwrap();
        assert_eq!((json, back), (format!("{text:?}"), reference));
    }
    for text in [
        "",
        "A",
        "env:",
        "env:1A",
        "env:A-B",
        "env:A\n",
        "env:Ä",
        "ENV:A",
        " env:A",
        "file:",
        "file:/",
        "file:~/",
        "file:~me/x",
        "file:x",
        "file:./x",
        "file:/x\u{0}",
    ] {
        assert!(SecretReference::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn webhooks_have_names_of_their_own() {
    let webhook = |name: &str| {
        format!(r#"{{"name": "{name}", "url": "env:U", "secret": "env:S", "events": []}}"#)
    };
    let all = ["one", "one", "Two", "linear", "three"]
        .map(webhook)
        .join(", ");
    let text = format!(r#"{{"webhooks": [{all}]}}"#);
    let rule = |name: &'static str, at: &str| (name, format!("/webhooks/{at}"));
    let expected = [
        rule("integrations.webhook-repeated", "1"),
        rule("integrations.webhook-name", "2/name"),
        rule("integrations.webhook-service", "3/name"),
    ];
    assert_eq!(broken(&text), expected);
    let (read, _) = read(&text);
    let names: Vec<&str> = read.webhooks.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["one", "three"]);
}

#[test]
fn a_prefix_starts_a_branch_and_no_option() {
    for prefix in ["", "feature", "a/b", "v1.2_x-y"] {
        let text = format!(r#"{{"linear": {{"branch_prefix": "{prefix}"}}}}"#);
        let (read, findings) = read(&text);
        assert_eq!(
            (read.linear.branch_prefix.as_str(), findings),
            (prefix, vec![])
        );
    }
    for prefix in [
        "-c", "a/", "/a", "a b", "..", "a..b", "a.lock", ".a", "a;b", "@{",
    ] {
        let text = format!(r#"{{"linear": {{"branch_prefix": "{prefix}"}}}}"#);
        let place = "/linear/branch_prefix".to_owned();
        assert_eq!(
            broken(&text),
            [("integrations.branch-prefix", place)],
            "{prefix}"
        );
        assert_eq!(read(&text).0.linear.branch_prefix, BRANCH_PREFIX);
    }
}

#[test]
fn a_repository_has_an_owner_and_a_name() {
    for name in [
        "shop",
        "a/b/c",
        "/b",
        "a/..",
        "a b/c",
        "https://github.com/a",
    ] {
        let text = format!(r#"{{"github": {{"repository": "{name}"}}}}"#);
        let place = "/github/repository".to_owned();
        assert_eq!(
            broken(&text),
            [("integrations.repository", place)],
            "{name}"
        );
    }
}

#[test]
fn a_destination_is_a_webhook_or_a_service_with_a_token() {
    let (read, _) = read(WHOLE);
    let audit = Destination {
        name: "audit".to_owned(),
        url: "https://example.com/hook".to_owned(),
        secret: Some(variable("AUDIT")),
        previous_secret: Some(variable("AUDIT_OLD")),
        events: vec!["phase".to_owned()],
        format: MessageFormat::Slack,
        subject: None,
    };
    assert_eq!(read.destination("audit"), Some(audit.clone()));
    let subject = |name: &str| read.destination(name).and_then(|one| one.subject);
    assert_eq!(subject("github").as_deref(), Some("acme/shop"));
    assert_eq!(subject("vercel").as_deref(), Some("acme/shop"));
    assert_eq!(subject("linear"), None);
    let linear = read.destination("linear").unwrap();
    assert_eq!(linear.url, "linear");
    assert_eq!(linear.secret, Some(variable("LINEAR_API_KEY")));
    assert_eq!(read.destination("nobody"), None);
    let names: Vec<String> = read
        .destinations()
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["audit", "chat", "vercel", "github", "linear"]);

    let json = serde_json::to_string(&audit).unwrap();
    assert!(json.contains(r#""previous_secret":"env:AUDIT_OLD""#) && json.contains(r#""slack""#));
    assert_eq!(serde_json::from_str::<Destination>(&json).unwrap(), audit);
}

#[test]
fn a_service_that_is_off_or_has_no_token_is_no_destination() {
    let text = r#"{"linear": {"enabled": false, "token": "env:A"}, "vercel": {"enabled": true}, "github": {}}"#;
    assert_eq!(read(text).0.destinations(), []);
}

#[test]
fn only_slack_needs_no_secret() {
    let webhook = |format: &str, secret: &str| {
        let text = format!(
            r#"{{"webhooks": [{{"name": "one", "url": "env:U", "format": "{format}", "events": []{secret}}}]}}"#
        );
        read(&text).0.webhooks.len()
    };
    assert_eq!(webhook("slack", ""), 1);
    assert_eq!(webhook("slack", r#", "secret": "env:S""#), 1);
    assert_eq!(webhook("slack", r#", "secret": "hunter2""#), 0);
    for format in ["generic", "linear"] {
        assert_eq!(webhook(format, ""), 0, "{format}");
        assert_eq!(webhook(format, r#", "secret": null"#), 0, "{format}");
    }
}
