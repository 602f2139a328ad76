# A STOP about a task of a plan is told until a decision names the task; other decisions and notes leave it.
put plans/260301-0900-refunds/plan.md <<'END'
# Refunds

<!-- CHECKPOINT: refunds -->
- [ ] Call the endpoint <!-- TASK: refund-call -->
- [ ] Write the mail <!-- TASK: refund-mail -->
END
ckpt plan sync

begins one
spawns one caller "Do the task refund-call."
reports one caller '{"task_id": "refund-call", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["the token lacks a scope"]}'
ends one
expect stopped
ckpt plan decide 'refund-mail is plain text'
ckpt plan note 'refund-call: asked security'
ckpt plan done refund-mail
expect stopped
ckpt plan decide 'refund-call uses the admin token' --reason 'security agrees'
gone stopped
