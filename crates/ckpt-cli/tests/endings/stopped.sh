# A STOP is told until a later reply about the same task says PROCEED; a reply about another task leaves it.
ckpt start implement payments --phases build,test
begins one
runs one "ckpt phase implement/payments build in_progress --task T003"
spawns one a1 "Task T003: charge a card."
reports one a1 '{"task_id": "T003", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["the key is not set"]}'
expect stopped
spawns one a2 "Task T004: write the receipt."
reports one a2 '{"task_id": "T004", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "It is written.", "issues": []}'
expect stopped
spawns one a3 "Task T003 again: the key is set now."
expect stopped
reports one a3 '{"task_id": "T003", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "It works.", "issues": []}'
gone stopped
