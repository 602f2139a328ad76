# Ticks and code that are not committed are put away with `git stash`, then taken back.
plan=plans/260401-0900-login/plan.md
put $plan <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the reset mail <!-- TASK: reset-mail -->
- [ ] Lock accounts after ten failures <!-- TASK: lock-accounts -->
END
put src/login.py <<< "def login(): ..."
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync

begins one
runs one "ckpt start implement login --phases build,test"
runs one "ckpt phase implement/login build in_progress --task T002 --modified src/login.py"
runs one "ckpt plan done login-form && git commit -qam 'Create the form'"
writes one src/login.py <<< "def login(mail): ..."
writes one src/mail.py <<< "def reset_mail(): ..."
runs one "ckpt plan done reset-mail"
runs one "ckpt plan decide 'The mail is plain text' --reason 'spam filters'"
runs one "ckpt plan claim lock-accounts"
shows before

runs one "git stash -q --include-untracked"
shows stashed
runs one "echo fix > hotfix.txt && git add . && git commit -qm 'Fix the build'"
shows stashed-and-committed
runs one "git stash pop -q"
shows popped

runs one "git stash -q --include-untracked"
says one "Stashed everything to look at the build."
dies one
shows died-with-a-stash
git stash pop --quiet
shows popped-after-death
