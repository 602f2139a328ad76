# A gate of a pipeline that failed is told until it passes; recording the failure as fixed is not enough.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Parser, gate: tests }
  WS2: { name: Pages, depends_on: [WS1] }
gates:
  tests: { command: "test -s src/parser.ts" }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1
ckpt pipeline done PRD-001 WS1
ckpt pipeline gate run PRD-001 tests --for WS1 || true
expect gate_failed
ckpt pipeline fixed PRD-001
expect gate_failed
commits src/parser.ts "export {}"
ckpt pipeline gate run PRD-001 tests --for WS1
gone gate_failed
