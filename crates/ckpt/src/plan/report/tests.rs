use super::*;

const TASKS: [&str; 4] = ["auth-middleware", "db-schema", "t1", "api.v2"];

fn claimed(report: &str) -> Vec<String> {
    claimed_tasks(report, &TASKS.into_iter().collect())
}

#[test]
fn a_line_that_says_done_claims_the_tasks_it_names() {
    for report in [
        "Completed auth-middleware.",
        "I have implemented `auth-middleware` and its tests.",
        "- [x] Setup auth middleware <!-- TASK: auth-middleware -->",
        "✅ auth-middleware",
        "| auth-middleware | done |",
        "{\"completed_tasks\": [\"auth-middleware\"]}",
        "## Completed\n- auth-middleware: the sessions\n",
        "**Finished tasks**\n\n* auth-middleware",
        "Done:\n1. auth-middleware\n\nRemaining:\n- db-schema\n",
    ] {
        assert_eq!(claimed(report), ["auth-middleware"], "{report}");
    }
    assert_eq!(
        claimed("t1 and db-schema are done, api.v2 too."),
        ["t1", "db-schema", "api.v2"]
    );
}

#[test]
fn what_is_not_said_to_be_done_is_not_claimed() {
    for report in [
        "auth-middleware",
        "auth-middleware is not done.",
        "Finished everything except auth-middleware",
        "I never completed auth-middleware",
        "Once auth-middleware is done, start t1",
        "I was unable to get auth-middleware done",
        "I couldn't get auth-middleware done",
        "auth-middleware is almost complete",
        "- [ ] auth-middleware",
        "Next: auth-middleware",
        "Completed auth-middleware-extras.",
        "## Completed\n\n## Notes\n- see auth-middleware",
        "",
        "done",
    ] {
        assert_eq!(claimed(report), [""; 0], "{report}");
    }
    let tasks = HashSet::from(["done", "fixed"]);
    assert_eq!(claimed_tasks("The task done", &tasks), [""; 0]);
    assert_eq!(claimed_tasks("fixed is done", &tasks), [""; 0]);
}
