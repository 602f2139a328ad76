# Conflict markers in a plan are told, even once they are committed, until they are gone.
plan=plans/260301-0900-login/plan.md
put $plan <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync

git switch --quiet -c other
sed -i 's/Send the mail/Send the mail in HTML/' $plan
git commit --quiet --all -m "HTML"
git switch --quiet main
sed -i 's/Send the mail/Send the mail as text/' $plan
git commit --quiet --all -m "Text"
git merge --quiet other > /dev/null || true
expect plan_unusable
git commit --quiet --all -m "Merge other"
expect plan_unusable
sed -i -e '/^<<<<<<</d' -e '/^=======/,/^>>>>>>>/d' $plan
gone plan_unusable
