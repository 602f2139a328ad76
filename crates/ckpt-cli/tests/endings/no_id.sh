# A checkbox without an id is told until `ckpt plan mark`; a sync leaves it.
plan=plans/260301-0900-login/plan.md
put $plan <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
END
ckpt plan sync
gone no_id

echo '- [ ] Rotate the token' >> $plan
expect no_id
ckpt plan sync
expect no_id
ckpt plan done login-form
expect no_id
ckpt plan mark
gone no_id
ckpt resume --json | grep -q 'Rotate the token'
