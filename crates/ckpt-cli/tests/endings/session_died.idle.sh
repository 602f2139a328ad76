# A session that died before it changed anything is told until anything is changed.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync

begins one
prompt one "Create the form."
says one "I begin with the form."
dies one
expect session_died
next_brief > /dev/null
expect session_died
ckpt plan done reset-mail
gone session_died
