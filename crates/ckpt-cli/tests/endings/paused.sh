# A pipeline that a gate paused is told until somebody approves it; another look at the gate leaves it.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Prices, gate: tests }
  WS2: { name: Checkout, depends_on: [WS1] }
gates:
  tests: { command: "true" }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1
ckpt pipeline done PRD-001 WS1
gone paused
ckpt pipeline gate run PRD-001 tests --for WS1
expect paused
ckpt pipeline note PRD-001 --cleanup 'old prices'
ckpt pipeline gate run PRD-001 tests --for WS1
expect paused
ckpt pipeline approve PRD-001
gone paused
