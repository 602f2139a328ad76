# `git clean -fdx` in a linked worktree removes the state there. The main worktree has the same plan, and a command, in flight.
put plans/260401-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the reset mail <!-- TASK: reset-mail -->
- [ ] Lock accounts after ten failures <!-- TASK: lock-accounts -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync
begins here
runs here "ckpt start implement login --phases research,build,test"
runs here "ckpt phase implement/login research complete --summary 'Sessions live in src/session.py.'"
runs here "ckpt plan claim reset-mail"
shows main-before

git worktree add --quiet -b feature/form "$LIFE/form"
cd "$LIFE/form"
begins there
runs there "ckpt start review form --phases analysis,report"
runs there "ckpt phase review/form analysis in_progress --summary 'Half of it is read.'"
writes there src/form.py <<< "def form(): ..."
runs there "ckpt plan done login-form && git add . && git commit -qm 'Create the form'"
runs there "ckpt plan decide 'The form has no script' --reason 'old browsers'"
runs there "ckpt plan note 'lock-accounts: count by name, not by address'"
runs there "ckpt plan claim lock-accounts"
writes there src/lock.py <<< "def lock(): ..."
shows there-before

git clean --quiet -fdx
shows there-after-clean
runs there "ckpt plan done lock-accounts"
shows there-goes-on
ends there
shows there-next-session

cd "$LIFE/repository"
shows main-after
