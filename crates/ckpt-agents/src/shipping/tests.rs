use super::{Shipment, ships};

#[test]
fn a_line_that_commits_first_ships_what_is_in_the_work_tree() {
    for (line, expected) in [
        ("git push", Shipment::Commits),
        ("git status && git push", Shipment::Commits),
        ("git commit -am x && git push", Shipment::WorkTree),
        (
            "git add . && git -C . commit -m \"$(cat x)\"; git push",
            Shipment::WorkTree,
        ),
        ("git merge side && git push", Shipment::WorkTree),
        ("git log --grep commit && git push", Shipment::Commits),
    ] {
        assert_eq!(ships(line), Some(expected), "{line}");
    }
}

#[test]
fn what_agents_write_to_ship_is_found() {
    for line in [
        "git push",
        "git push origin HEAD --force-with-lease",
        "cd /repo && git push -u origin main",
        "git -C /repo -c a=b --no-pager push",
        "GIT_SSH_COMMAND='ssh -i k' git push",
        "npm test; git push",
        "git commit -m x && sudo git push",
        "/usr/bin/git push",
        "(git push)",
        "if true; then git push; fi",
        "gh pr create --fill",
        "git add . \n git push",
        "if git push; then echo yes; fi",
        "test -f x || true; else git push",
        "while git push; do sleep 1; done",
        "timeout 60 git push",
        "timeout -k 5 60s git push",
        "git \\\n  push",
        "gh --repo a/b pr create --fill",
        "bash -c \"cd x && git push\"",
        "sh -lc 'git push'",
        "cat <<EOF > a\nx\nEOF\ngit push",
        "cat <<\"END OF\" > a\nx\nEND OF\ngit push",
        "echo $((1 << 2))\ngit push",
        "git commit -m \"a << b\"\ngit push",
        "git commit -m \"5\\\" disk\" && git push",
        "echo it\\'s done && git push",
        "x=\"$(git push)\"",
        "echo \"$(git push)\"",
        "bash -o pipefail -c \"git push\"",
        "bash -euo pipefail -c 'cd x; git push'",
        "eval git push",
        "sudo -u bob git push",
        "env -u X git push",
        "gh pr new",
        "gh pr merge 12 --squash",
        "/usr/bin/env git push",
        "/usr/bin/env -i PATH=/bin git push",
        "git commit -m \"$(cat <<'EOF'\nMend it (for good)\n\nIt's done :)\nEOF\n)\" && git push",
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"\ngit push",
        "git commit -m \"$(printf '%s' ')')\" && git push",
    ] {
        assert!(ships(line).is_some(), "{line}");
    }
}

#[test]
fn what_does_not_ship_is_let_alone() {
    for line in [
        "",
        "git status",
        "git log --grep push",
        "git stash push",
        "echo git push",
        "git commit -m 'git push later'",
        "gh pr view",
        "gh pr list --search create",
        "grep 'git push' README.md",
        "cat <<'EOF' > run.sh\ngit push\nEOF\n",
        "echo 1 # then; git push",
        "bash -c 'echo git push'",
        "git log <<< 'git push'",
        "git commit -m \"$(cat <<'EOF'\ngit push\nEOF\n)\"",
    ] {
        assert_eq!(ships(line), None, "{line}");
    }
}
