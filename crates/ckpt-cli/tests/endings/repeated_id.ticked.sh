# A second checkbox that is ticked leaves nothing to do.
put plans/260401-0900-login/plan.md << 'END'
<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: form -->
- [ ] Create the form for guests <!-- TASK: form -->
END
ckpt plan sync
expect repeated_id
sed -i 's/- \[ \] Create the form for guests/- [x] Create the form for guests/' plans/260401-0900-login/plan.md
gone repeated_id
