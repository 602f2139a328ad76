# A state.json that cannot be read is told until the next change restores it.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
ckpt plan sync
ckpt plan done login-form

echo garbage > plans/260301-0900-login/.checkpoint/state.json
expect plan_unusable
expect plan_unusable
ckpt plan note 'the mail needs a text'
gone plan_unusable
