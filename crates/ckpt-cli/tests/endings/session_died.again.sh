# A session that was acknowledged, was resumed and died again is told again.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync

begins one
runs one "ckpt plan claim login-form"
dies one
expect session_died
ckpt ack one
gone session_died
begins one
runs one "ckpt plan done login-form && ckpt plan claim reset-mail"
dies one
expect session_died
