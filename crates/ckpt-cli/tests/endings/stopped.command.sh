# A STOP in a command that ships nothing ends with a PROCEED, and then its work goes on: a gate is about shipping only.
ckpt start implement payments --phases build,test
ckpt phase implement/payments build in_progress --task T003
ckpt handoff reply implement/payments <<< '{"task_id": "T003", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["the key is not set"]}'
expect stopped
ckpt handoff reply implement/payments <<< '{"task_id": "T003", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "It works.", "issues": []}'
gone stopped
ckpt resume | grep -q '^Continue phase build'
