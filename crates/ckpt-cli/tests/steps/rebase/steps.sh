# A feature branch with ticks is rebased onto the commits of a colleague. It stops twice: in the plan, then in the code.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
plan=plans/260401-0900-login/plan.md
put $plan <<'END'
# Login

## Form
<!-- CHECKPOINT: form -->
- [ ] Create the form <!-- TASK: login-form -->

## Safety
<!-- CHECKPOINT: safety -->
- [ ] Send the reset mail <!-- TASK: reset-mail -->
- [ ] Lock accounts after ten failures <!-- TASK: lock-accounts -->
END
put src/form.py <<< "def form(): ..."
git add . && git commit --quiet -m "Plan the login"
git push --quiet -u origin main
ckpt plan sync

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    sed -i 's/Create the form/Create the form in HTML/' $plan
    put src/form.py <<< "def html_form(): ..."
    by Grace git commit --quiet -am "Make the form HTML"
    git push --quiet
)

git switch --quiet -c feature/login
begins one
runs one "ckpt start implement login --phases research,build,test"
runs one "ckpt phase implement/login research complete --summary 'The form is form in src/form.py.'"
runs one "ckpt phase implement/login build in_progress --task T002"
runs one "ckpt plan done login-form && git commit -qam 'Tick the form'"
writes one src/form.py <<< "def form(error): ..."
runs one "git commit -qam 'Show errors in the form'"
writes one src/mail.py <<< "def reset_mail(): ..."
runs one "ckpt plan done reset-mail && git add . && git commit -qm 'Send the reset mail'"
runs one "ckpt plan note 'lock-accounts: the counter is in src/session.py'"
shows before

runs one "git fetch -q && git rebase origin/main"
shows stopped-in-plan
sed -i -e '/^<<<<<<</d' -e '/^=======/d' -e '/^>>>>>>>/d' $plan
sed -i -e '/\[ \] Create the form in HTML/d' -e 's/\[x\] Create the form /[x] Create the form in HTML /' $plan
shows plan-resolved
runs one "git add plans && GIT_EDITOR=true git rebase --continue"
shows stopped-in-code
put src/form.py <<< "def html_form(error): ..."
runs one "git add src && GIT_EDITOR=true git rebase --continue"
shows after-continue
git branch --show-current | grep -q feature/login
grep -c '\[x\]' $plan | grep -q 2
ends one
shows next-session
