use std::collections::VecDeque;

use super::*;
use crate::client::{Answer, Trouble};
use crate::secret::Secret;

const COMMIT: &str = "1111111111111111111111111111111111111111";
const OTHER: &str = "2222222222222222222222222222222222222222";

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn vercel() -> Asker {
    Asker::Vercel(Vercel {
        commit: COMMIT.to_owned(),
        project: Some("shop".to_owned()),
        team: Some("team_a".to_owned()),
        token: Secret::new("token"),
    })
}

fn github() -> Asker {
    Asker::GitHub(GitHub {
        commit: COMMIT.to_owned(),
        owner: "acme".to_owned(),
        name: "shop".to_owned(),
        project: None,
        token: Secret::new("token"),
    })
}

/// What an asker sees in these answers, and the paths that it asked for.
fn seen(asker: &Asker, answers: &[Answer]) -> (Sighting, Vec<String>) {
    let mut answers: VecDeque<Answer> = answers.iter().cloned().collect();
    let mut asked = Vec::new();
    let sighting = asker.ask(
        &mut |question| {
            let query = question.query.iter();
            let query: Vec<String> = query
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            asked.push(format!("{}?{}", question.path.join("/"), query.join("&")));
            Ok(answers.pop_front().expect("no more questions than answers"))
        },
        1_000_000,
    );
    assert!(answers.is_empty(), "not everything was asked");
    (sighting, asked)
}

fn answer(body: &str) -> Answer {
    Answer::made(200, &[], body)
}

fn deployment(commit: &str, created: u64, state: &str) -> String {
    format!(
        r#"{{"uid":"d","url":"shop-{created}.vercel.app","readyState":"{state}","target":null,"created":{created},
        "inspectorUrl":"https://vercel.com/acme/shop/{created}","meta":{{"githubCommitSha":"{commit}"}}}}"#
    )
}

fn vercel_sees(deployments: &[String]) -> Sighting {
    let body = format!(
        r#"{{"pagination":{{}},"deployments":[{}]}}"#,
        deployments.join(",")
    );
    seen(&vercel(), &[answer(&body)]).0
}

fn failed(how: Failure, reason: Option<&str>, page: Option<&str>) -> Sighting {
    Sighting::Failed(Failed {
        how,
        reason: reason.map(str::to_owned),
        page: page.map(str::to_owned),
    })
}

#[test]
fn vercel_is_asked_for_the_commit_in_its_project_and_team() {
    let (sighting, asked) = seen(&vercel(), &[answer(r#"{"deployments":[]}"#)]);
    assert_eq!(sighting, Sighting::Absent);
    let query = format!("sha={COMMIT}&limit=100&projectId=shop&teamId=team_a");
    assert_eq!(asked, [format!("v7/deployments?{query}")]);
}

#[test]
fn each_state_at_vercel_means_what_it_says() {
    let page = Some("https://vercel.com/acme/shop/5");
    for (state, expected) in [
        (
            "READY",
            Sighting::Ready(Some("https://shop-5.vercel.app".to_owned())),
        ),
        ("ERROR", failed(Failure::Error, None, page)),
        ("DELETED", failed(Failure::Error, None, page)),
        ("CANCELED", failed(Failure::Canceled, None, page)),
        ("BLOCKED", Sighting::Blocked(page.map(str::to_owned))),
        ("QUEUED", Sighting::Pending("queued".to_owned())),
        ("BUILDING", Sighting::Pending("building".to_owned())),
        ("SOMETHING", Sighting::Pending("something".to_owned())),
    ] {
        assert_eq!(
            vercel_sees(&[deployment(COMMIT, 5, state)]),
            expected,
            "{state}"
        );
    }
}

#[test]
fn the_deployment_of_another_commit_never_counts() {
    let other = deployment(OTHER, 9, "READY");
    assert_eq!(vercel_sees(std::slice::from_ref(&other)), Sighting::Absent);
    let unnamed = other.replace(&format!(r#"{{"githubCommitSha":"{OTHER}"}}"#), "{}");
    assert_eq!(vercel_sees(&[unnamed]), Sighting::Absent);
    let production = deployment(COMMIT, 9, "READY").replace("null", r#""production""#);
    assert_eq!(vercel_sees(&[production]), Sighting::Absent);
    let own = deployment(COMMIT, 5, "BUILDING");
    let pending = Sighting::Pending("building".to_owned());
    assert_eq!(vercel_sees(&[other, own]), pending);
}

#[test]
fn the_newest_of_several_deployments_counts() {
    let older = deployment(COMMIT, 5, "READY");
    let newer = deployment(COMMIT, 6, "ERROR");
    let page = Some("https://vercel.com/acme/shop/6");
    let expected = failed(Failure::Error, None, page);
    assert_eq!(vercel_sees(&[older.clone(), newer.clone()]), expected);
    assert_eq!(vercel_sees(&[newer, older]), expected);
}

#[test]
fn an_address_that_is_none_is_left_out() {
    for host in ["shop.vercel.app/ [x](y)", "a b", "\\u001b[31m", "<script>"] {
        let odd = deployment(COMMIT, 5, "READY").replace("shop-5.vercel.app", host);
        assert_eq!(vercel_sees(&[odd]), Sighting::Ready(None), "{host}");
    }
}

fn github_deployment(id: u64, commit: &str, creator: &str, environment: &str) -> String {
    format!(
        r#"{{"id":{id},"sha":"{commit}","environment":"{environment}","creator":{{"login":"{creator}"}},"created_at":"2026-11-19T10:00:0{id}Z"}}"#
    )
}

const BOT: &str = "vercel[bot]";

#[test]
fn github_is_asked_for_the_newest_deployment_by_vercel() {
    let deployments = [
        github_deployment(1, COMMIT, BOT, "Preview"),
        github_deployment(3, COMMIT, BOT, "Preview – shop"),
        github_deployment(4, COMMIT, "somebody", "Preview"),
        github_deployment(5, OTHER, BOT, "Preview"),
        github_deployment(6, COMMIT, BOT, "Production"),
        github_deployment(7, COMMIT, BOT, "Previews"),
    ];
    let statuses = r#"[
        {"state":"inactive","created_at":"2026-11-19T12:00:00Z"},
        {"state":"success","environment_url":"https://shop-3.vercel.app","created_at":"2026-11-19T11:00:00Z"},
        {"state":"pending","created_at":"2026-11-19T10:00:00Z"}]"#;
    let deployments = answer(&format!("[{}]", deployments.join(",")));
    let (sighting, asked) = seen(&github(), &[deployments, answer(statuses)]);
    let url = "https://shop-3.vercel.app".to_owned();
    assert_eq!(sighting, Sighting::Ready(Some(url)));
    let first = format!("repos/acme/shop/deployments?per_page=100&sha={COMMIT}");
    let second = "repos/acme/shop/deployments/3/statuses?per_page=100".to_owned();
    assert_eq!(asked, [first, second]);
}

#[test]
fn each_state_at_github_means_what_it_says() {
    for (statuses, expected) in [
        ("[]", Sighting::Pending("queued".to_owned())),
        (
            r#"[{"state":"in_progress"}]"#,
            Sighting::Pending("in progress".to_owned()),
        ),
        (
            r#"[{"state":"inactive"}]"#,
            failed(Failure::Canceled, None, None),
        ),
        (
            r#"[{"state":"failure","description":"Build  failed\n","log_url":"https://vercel.com/x"}]"#,
            failed(
                Failure::Error,
                Some("Build failed"),
                Some("https://vercel.com/x"),
            ),
        ),
        (
            r#"[{"state":"error"},{"state":"success"}]"#,
            failed(Failure::Error, None, None),
        ),
    ] {
        let deployment = github_deployment(1, COMMIT, BOT, "Preview");
        let answers = [answer(&format!("[{deployment}]")), answer(statuses)];
        assert_eq!(seen(&github(), &answers).0, expected, "{statuses}");
    }
}

#[test]
fn a_rejected_build_is_known_by_the_status_of_its_commit() {
    let body = r#"{"state":"failure","statuses":[
        {"context":"ci","state":"failure","description":"Red"},
        {"context":"Vercel – shop","state":"failure","description":"Limit reached","target_url":"https://vercel.com/x"}]}"#;
    let (sighting, asked) = seen(&github(), &[answer("[]"), answer(body)]);
    let expected = failed(
        Failure::Rejected,
        Some("Limit reached"),
        Some("https://vercel.com/x"),
    );
    assert_eq!(sighting, expected);
    assert!(asked[1].starts_with(&format!("repos/acme/shop/commits/{COMMIT}/status?")));
    let pending = r#"{"statuses":[{"context":"Vercel","state":"pending"},{"context":"ci","state":"failure"}]}"#;
    let (sighting, _) = seen(&github(), &[answer("[]"), answer(pending)]);
    assert_eq!(sighting, Sighting::Absent);
}

#[test]
fn what_is_wrong_with_the_settings_ends_the_wait_and_what_passes_does_not() {
    let sees = |answer: Answer| seen(&vercel(), &[answer]).0;
    for status in [301, 400, 401, 403, 404, 410] {
        let sighting = sees(Answer::made(status, &[], "{}"));
        assert!(matches!(sighting, Sighting::Refused(_)), "{status}");
    }
    for status in [408, 429, 500, 502, 503] {
        let sighting = sees(Answer::made(status, &[], "{}"));
        assert!(
            matches!(sighting, Sighting::Unknown { pause: None, .. }),
            "{status}"
        );
    }
    for body in ["", "<html>", "[]", r#"{"deployments":7}"#] {
        assert!(
            matches!(sees(answer(body)), Sighting::Unknown { .. }),
            "{body}"
        );
    }
    let trouble = |trouble: Trouble| {
        let mut trouble = Some(trouble);
        vercel().ask(&mut |_| Err(trouble.take().expect("one question")), 0)
    };
    let host = || "api.example".to_owned();
    let late = trouble(Trouble::TooLate(host()));
    assert!(matches!(late, Sighting::Unknown { .. }));
    let reason = "expired".to_owned();
    let untrusted = trouble(Trouble::Untrusted {
        host: host(),
        reason,
    });
    assert!(matches!(untrusted, Sighting::Refused(_)));
}

#[test]
fn a_provider_says_how_long_to_leave_it_alone() {
    let pause = |status: u16, headers: &[(&'static str, &str)]| match seen(
        &vercel(),
        &[Answer::made(status, headers, "{}")],
    )
    .0
    {
        Sighting::Unknown { pause, .. } => pause,
        other => panic!("{other:?}"),
    };
    assert_eq!(pause(429, &[("retry-after", "7")]), Some(seconds(7)));
    let reset = |remaining, status| {
        let headers = [
            ("x-ratelimit-remaining", remaining),
            ("x-ratelimit-reset", "1009"),
        ];
        pause(status, &headers)
    };
    assert_eq!(reset("0", 429), Some(seconds(9)));
    assert_eq!(reset("0", 403), Some(seconds(9)));
    assert_eq!(reset("5", 429), None);
}

#[test]
fn a_wait_of_five_minutes_asks_every_three_to_fifteen_seconds() {
    let mut wait = Wait::of(seconds(300));
    let mut passed = Duration::ZERO;
    let mut pauses = Vec::new();
    loop {
        match wait.next(Sighting::Pending("building".to_owned()), passed, 0.5) {
            Decision::Ask(pause) => {
                pauses.push(pause);
                passed += pause;
            }
            Decision::End(ending) => {
                assert_eq!(ending, Ending::TimedOut("it is building".to_owned()));
                break;
            }
        }
    }
    assert_eq!(passed, seconds(300));
    assert_eq!(
        pauses[..3],
        [3_000, 4_500, 6_750].map(Duration::from_millis)
    );
    assert!(
        pauses[4..pauses.len() - 1]
            .iter()
            .all(|pause| *pause == seconds(15))
    );
    let short = Wait::of(seconds(2)).next(Sighting::Absent, Duration::ZERO, 0.5);
    assert_eq!(short, Decision::Ask(Duration::from_millis(20)));
}

#[test]
fn a_deployment_that_never_appears_is_not_waited_for_longer_than_five_minutes() {
    let mut wait = Wait::of(seconds(3_600));
    let asked = wait.next(Sighting::Absent, seconds(299), 0.5);
    assert_eq!(asked, Decision::Ask(seconds(1)));
    let ended = wait.next(Sighting::Absent, seconds(300), 0.5);
    assert_eq!(ended, Decision::End(Ending::NotFound(None)));
    let mut wait = Wait::of(seconds(3_600));
    wait.next(Sighting::Pending("queued".to_owned()), seconds(10), 0.5);
    let asked = wait.next(Sighting::Absent, seconds(301), 0.5);
    assert!(matches!(asked, Decision::Ask(_)), "{asked:?}");
}

#[test]
fn a_provider_that_asks_for_time_gets_it_if_there_is_time() {
    let busy = |pause| Sighting::Unknown {
        reason: "it answered 429".to_owned(),
        pause: Some(seconds(pause)),
    };
    let mut wait = Wait::of(seconds(60));
    assert_eq!(
        wait.next(busy(20), seconds(1), 0.5),
        Decision::Ask(seconds(20))
    );
    let ended = wait.next(busy(60), seconds(21), 0.5);
    let reason = Some("it answered 429".to_owned());
    assert_eq!(ended, Decision::End(Ending::NotFound(reason)));
}

#[test]
fn a_blocked_deployment_says_why_it_is_not_ready() {
    let mut wait = Wait::of(seconds(10));
    let page = Some("https://vercel.com/x".to_owned());
    let ended = wait.next(Sighting::Blocked(page), seconds(10), 0.5);
    let why = "it is blocked until a person lets it go on, at https://vercel.com/x";
    assert_eq!(ended, Decision::End(Ending::TimedOut(why.to_owned())));
}
