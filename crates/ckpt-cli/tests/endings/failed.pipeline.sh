# A pipeline that failed as a whole is told until the failure is recorded as fixed.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Parser, gate: tests }
gates:
  tests: { command: "test -s src/parser.ts" }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1
ckpt pipeline done PRD-001 WS1
ckpt pipeline gate fail PRD-001 tests --for WS1 --message '3 errors'
expect failed
ckpt pipeline fixed PRD-001
gone failed
