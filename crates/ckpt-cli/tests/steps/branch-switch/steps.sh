# Branches are changed while work is in flight: first the plan is on the feature branch only, then it is on both, with more
# ticks on the feature branch, then with a second plan, with a tick that is not committed, and after a session died.
git switch --quiet -c feature/login
put plans/260401-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the reset mail <!-- TASK: reset-mail -->
- [ ] Lock accounts after ten failures <!-- TASK: lock-accounts -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync
begins one
runs one "ckpt plan claim login-form"
runs one "git switch -q main"
shows plan-not-on-main

runs one "git merge -q feature/login && git switch -q feature/login"
runs one "ckpt start implement login --phases research,build,test"
runs one "ckpt phase implement/login research complete --summary 'Sessions live in src/session.py.'"
runs one "ckpt phase implement/login build in_progress --task T002"
writes one src/form.py <<< "def form(): ..."
runs one "ckpt plan done login-form && git add . && git commit -qm 'Create the form'"
runs one "ckpt plan decide 'The mail is plain text' --reason 'spam filters' && git commit -qam 'Decide on the mail'"
runs one "ckpt plan claim reset-mail"
shows on-feature
runs one "git switch -q main"
shows on-main
runs one "git switch -q feature/login"
shows back-on-feature

writes one plans/260402-0900-lockout/plan.md <<'END'
# Lockout

<!-- CHECKPOINT: lockout -->
- [ ] Count failures <!-- TASK: count-failures -->
- [ ] Unlock by mail <!-- TASK: unlock-mail -->
END
runs one "git add plans && git commit -qm 'Plan the lockout'"
runs one "ckpt plan done count-failures --plan 260402-0900-lockout && git commit -qam 'Count failures'"
shows two-plans
runs one "git switch -q main"
shows one-plan-on-main
runs one "git switch -q feature/login"
shows two-plans-again

git switch --quiet main
git merge --quiet feature/login
git switch --quiet feature/login
runs one "ckpt plan done reset-mail --plan 260401-0900-login"
shows not-committed
runs one "git switch -q main"
shows carried-to-main
runs one "git switch -q feature/login"
shows carried-back

runs one "git commit -qam 'Send the reset mail' && ckpt plan claim lock-accounts --plan 260401-0900-login"
says one "The counter for lock-accounts is written, the lock itself is missing."
dies one
shows died-on-feature
git switch --quiet main
shows died-seen-from-main
