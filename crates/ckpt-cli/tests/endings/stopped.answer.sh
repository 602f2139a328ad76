# A STOP of a command's sub-agent ends with an answer that names the task; another task's answer does not end it.
ckpt start ship payments
ckpt phase ship/payments pre-flight in_progress --task T003
ckpt handoff reply ship/payments <<< '{"task_id": "T003", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["the key is not set"]}'
expect stopped
if ckpt handoff reply ship/payments --answer T004 --text 'It is set.'; then exit 1; fi
expect stopped
ckpt handoff reply ship/payments --answer T003 --text 'The key is in the vault.'
gone stopped
if ckpt gate check ship/payments | grep -q T003; then exit 1; fi
