# A pull in a session that brings a tick by others is told: the tick came with the commit, it is no change made here.
plan=plans/260301-0900-login/plan.md
put $plan <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
- [ ] Lock accounts <!-- TASK: lock-accounts -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync && ckpt plan claim login-form
git clone --quiet . ../grace
(
    cd ../grace
    sed -i 's/\[ \] Send/[x] Send/' $plan
    by Grace git commit --quiet --all -m "Send the mail"
)
begins one
runs one "git pull --quiet ../grace main"
expect foreign_commits
ends one
expect foreign_commits
ckpt plan done login-form
gone foreign_commits
