# A question of a sub-agent blocks the gate until it is answered; then what is left is the approval.
commits src/pay.py "def charge(): ..."
ckpt start ship
ckpt gate set ship --block 'the log is not read yet'
ckpt handoff reply ship --phase pre-flight <<< '{"task_id": "T9", "phase": "validate", "status": "partial", "decision": "CLARIFY", "findings": {}, "context_summary": "One question.", "issues": ["for each user or each request?"]}'
expect gate_blocked
ckpt handoff reply ship --phase pre-flight <<< '{"task_id": "T9", "phase": "validate", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "For each user.", "issues": []}'
expect gate_blocked
ckpt gate set ship --allow
gone gate_blocked
