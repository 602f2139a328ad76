# A CLARIFY about a task of a plan is told until somebody unblocks the task.
put plans/260301-0900-refunds/plan.md <<'END'
# Refunds

<!-- CHECKPOINT: refunds -->
- [ ] Call the endpoint <!-- TASK: refund-call -->
- [ ] Write the mail <!-- TASK: refund-mail -->
END
ckpt plan sync

begins one
spawns one caller "Do the task refund-call."
reports one caller '{"task_id": "refund-call", "phase": "write", "status": "partial", "decision": "CLARIFY", "findings": {}, "context_summary": "Nothing is written.", "issues": ["full refunds only, or partial ones too?"]}'
ends one
expect stopped
ckpt plan done refund-mail
expect stopped
ckpt plan unblock refund-call
gone stopped
