use super::*;
use crate::command::Checkpoint;
use crate::document::Document;
use crate::facts::work_of_command;
use crate::key::{CommandKey, Key};

fn gate(name: &str, proof: Proof) -> GateFact {
    GateFact {
        gate: name.to_owned(),
        about: Vec::new(),
        proof,
        at: None,
        by: None,
        last_lines: None,
        run: Some(format!("run {name}")),
        failed_before: 0,
    }
}

fn work(gates: Vec<GateFact>) -> Work {
    let key = Key::from(&CommandKey::parse("ship/login").unwrap());
    let root = Document::parse(r#"{"command": "ship", "feature": "login", "version": 1}"#);
    let root = root.unwrap().value();
    let checkpoint = Checkpoint::new(root.view());
    work_of_command(&key, checkpoint, &root, gates, None, &[], None)
}

const ALLOWED: Verdict = Verdict::Allowed { approved_by: None };

fn ready(work: &Work) -> Shipping<'_> {
    Shipping {
        work,
        verdict: &ALLOWED,
        others: &[],
        preview: None,
        wanted: None,
        uncommitted: Some(&[]),
        pushed: Some(&Pushed::All),
        branch: Some("main"),
        commit: Some("c0ffee"),
        flaws: &[],
        settings: "settings.json",
    }
}

/// The needs as `standing about: command`.
fn told(shipping: &Shipping<'_>) -> Vec<String> {
    let needs = readiness(shipping).into_iter();
    needs
        .map(|need| {
            let command = need.command.unwrap_or_default();
            format!("{:?} {}: {command}", need.standing, need.about)
        })
        .collect()
}

#[test]
fn nothing_is_unmet_where_everything_is_done() {
    let work = work(vec![gate("tests", Proof::Proven)]);
    let needs = told(&ready(&work));
    let expected = [
        "Met gate: ",
        "Met gate tests: ",
        "Met work tree: ",
        "Met push: ",
    ];
    assert_eq!(needs, expected);
}

#[test]
fn each_need_that_is_not_met_names_what_settles_it() {
    let files = vec!["a.rs".to_owned()];
    let others = [("ship/other".to_owned(), vec!["no gate".to_owned()])];
    let flaws = ["wrong".to_owned()];
    let verdict = Verdict::Blocked {
        reasons: vec!["tests fail".to_owned()],
    };
    let work = work(vec![gate("tests", Proof::OlderContent)]);
    let shipping = Shipping {
        verdict: &verdict,
        others: &others,
        wanted: Some(Success::Required),
        uncommitted: Some(&files),
        pushed: Some(&Pushed::Never("origin".to_owned())),
        branch: Some("feature/x"),
        flaws: &flaws,
        ..ready(&work)
    };
    let expected = [
        "Unmet gate: ckpt gate set ship/login --allow",
        "Unmet other gate: ckpt gate check ship/other",
        "Unmet gate tests: run tests",
        "Unmet preview: ckpt ship preview ship/login",
        "Unmet work tree: git status",
        "Unmet push: git push --set-upstream origin feature/x",
        "Unmet settings: ckpt validate settings.json",
    ];
    assert_eq!(told(&shipping), expected);
}

#[test]
fn each_proof_counts_as_what_it_proves() {
    for (proof, standing) in [
        (Proof::Proven, NeedStanding::Met),
        (Proof::Claimed, NeedStanding::Advised),
        (Proof::Tolerated, NeedStanding::Advised),
        (Proof::ClaimedElsewhere, NeedStanding::Unmet),
        (Proof::OlderContent, NeedStanding::Unmet),
        (Proof::Missing, NeedStanding::Unmet),
        (Proof::Running, NeedStanding::Unmet),
        (Proof::Interrupted, NeedStanding::Unmet),
        (Proof::Failed, NeedStanding::Unmet),
    ] {
        let work = work(vec![gate("tests", proof)]);
        assert_eq!(readiness(&ready(&work))[1].standing, standing, "{proof:?}");
    }
}

#[test]
fn a_preview_counts_by_what_is_required_now() {
    let seen = |proof, wanted| {
        let preview = KnownPreview {
            proof,
            ending: "it failed".to_owned(),
            url: Some("https://x".to_owned()),
            commit: Some("c0ffee".to_owned()),
        };
        // The preview is not listed as a gate too.
        let work = work(vec![gate(PREVIEW, proof)]);
        let needs = readiness(&Shipping {
            preview: Some(&preview),
            wanted: Some(wanted),
            ..ready(&work)
        });
        assert_eq!(needs.len(), 4, "{needs:?}");
        needs[1].standing
    };
    for (proof, required, welcome) in [
        (Proof::Proven, NeedStanding::Met, NeedStanding::Met),
        (Proof::Tolerated, NeedStanding::Unmet, NeedStanding::Advised),
        (
            Proof::OlderContent,
            NeedStanding::Unmet,
            NeedStanding::Advised,
        ),
        (Proof::Failed, NeedStanding::Unmet, NeedStanding::Unmet),
    ] {
        assert_eq!(seen(proof, Success::Required), required, "{proof:?}");
        assert_eq!(seen(proof, Success::Welcome), welcome, "{proof:?}");
    }
}

#[test]
fn a_preview_of_another_commit_does_not_count() {
    let preview = KnownPreview {
        proof: Proof::Proven,
        ending: String::new(),
        url: None,
        commit: Some("0ther".to_owned()),
    };
    let work = work(Vec::new());
    let needs = readiness(&Shipping {
        preview: Some(&preview),
        wanted: Some(Success::Required),
        ..ready(&work)
    });
    assert_eq!(needs[1].standing, NeedStanding::Unmet);
}
