# Commits of others are told until somebody has seen them; the next ones are told again.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync
ckpt plan claim login-form

git clone --quiet . ../grace
(cd ../grace && by Grace commits src/login.py "def login(): ...")
git pull --quiet ../grace main
expect foreign_commits
ckpt ack commits --reason 'read'
gone foreign_commits
(cd ../grace && by Grace commits src/login.py "def login(name): ...")
git pull --quiet ../grace main
expect foreign_commits
ckpt ack commits
gone foreign_commits
