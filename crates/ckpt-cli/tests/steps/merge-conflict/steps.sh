# Two branches tick neighbouring tasks of one plan and change the same code. The merge stops, is resolved, and committed.
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
git switch --quiet -c mail
runs one "ckpt plan done reset-mail && echo 'def login(mail): ...' > src/login.py && git commit -qam 'Send the reset mail'"
git switch --quiet main
runs one "ckpt start implement login --phases build,test"
runs one "ckpt phase implement/login build in_progress --task T002 --modified src/login.py"
runs one "ckpt plan done login-form && echo 'def login(form): ...' > src/login.py && git commit -qam 'Create the form'"
runs one "ckpt plan decide 'The form has no script' --reason 'old browsers'"
runs one "git commit -qam 'Decide on the form'"
shows before

runs one "git merge mail"
shows conflicted
ckpt plan done lock-accounts && exit 1
sed -i -e '/^<<<<<<</d' -e '/^=======/d' -e '/^>>>>>>>/d' $plan
sed -i -e '/\[ \] Create the form/d' -e '/\[ \] Send the reset mail/d' $plan
shows plan-resolved
put src/login.py <<< "def login(form, mail): ..."
git add plans src
shows resolved
git commit --quiet --no-edit
shows committed
ends one
shows next-session
