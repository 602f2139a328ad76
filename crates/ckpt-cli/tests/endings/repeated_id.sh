# A second checkbox with the same id is told until it has one of its own.
put plans/260401-0900-login/plan.md << 'END'
<!-- CHECKPOINT: login -->
- [x] Create the form <!-- TASK: form -->
- [ ] Create the form for guests <!-- TASK: form -->
- [ ] Send the mail <!-- TASK: mail -->
END
ckpt plan sync
expect repeated_id
sed -i 's/for guests <!-- TASK: form/for guests <!-- TASK: guest-form/' plans/260401-0900-login/plan.md
gone repeated_id
