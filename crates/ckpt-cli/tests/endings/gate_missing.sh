# A gate that never ran is told once its workstream is done, until it passes.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Parser, gate: tests }
  WS2: { name: Pages }
  WS3: { name: Labels, depends_on: [WS1] }
gates:
  tests: { command: "test -s src/parser.ts" }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1 WS2
gone gate_missing
ckpt pipeline done PRD-001 WS1
expect gate_missing
ckpt pipeline done PRD-001 WS2
expect gate_missing
commits src/parser.ts "export {}"
ckpt pipeline gate run PRD-001 tests --for WS1
gone gate_missing
