# A STOP about a workstream is told until a later reply about the workstream.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Parser }
  WS2: { name: Pages }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
begins one
runs one "ckpt pipeline start PRD-001 WS1 WS2"
spawns one a1 "WS1 of PRD-001: write the parser."
reports one a1 '{"task_id": "WS1", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written.", "issues": ["which grammar?"]}'
ends one
expect stopped
ckpt handoff reply PRD-001 <<< '{"task_id": "WS2", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "The pages work.", "issues": []}'
expect stopped
ckpt handoff reply PRD-001 <<< '{"task_id": "WS1", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "The old grammar.", "issues": []}'
gone stopped
