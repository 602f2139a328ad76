# A STOP that a hook recorded in a command also ends with a reply that is recorded by hand.
ckpt start implement payments --phases build,test
begins one
runs one "ckpt phase implement/payments build in_progress --task T003"
spawns one a1 "Task T003: charge a card."
reports one a1 '{"task_id": "T003", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["the key is not set"]}'
ends one
expect stopped
ckpt phase implement/payments build in_progress --task T003
expect stopped
ckpt handoff reply implement/payments <<< '{"task_id": "T003", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "Dana has set the key.", "issues": []}'
gone stopped
