# If `ckpt ack` accepts the task that a dead session was working on, then it ends the hazard.
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
if ckpt ack login-form; then gone session_died; else expect session_died; fi
