# A plan.md that was deleted is told until it is restored from the history.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
ckpt plan sync
ckpt plan done login-form
gone plan_unusable

rm plans/260301-0900-login/plan.md
expect plan_unusable
ckpt plan recover
gone plan_unusable
grep -q '\[x\] Create the form' plans/260301-0900-login/plan.md
