# A plan that a commit removed is not missed: it is abandoned, and can still be brought back.
plan=plans/260301-0900-login/plan.md
put $plan <<'END'
<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync && ckpt plan done login-form
git commit --quiet --all -m "Create the form"
rm $plan
expect plan_unusable
git rm --quiet --cached $plan && git commit --quiet -m "Drop the login plan, we buy it"
gone plan_unusable
ckpt status --all | grep -q abandoned
ckpt start implement shop
ckpt resume | grep -q '260301-0900-login was abandoned: "a commit removed its plan.md"'
ckpt plan recover --plan 260301-0900-login
test -f $plan
