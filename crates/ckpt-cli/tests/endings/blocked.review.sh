# A review that says do_not_ship is told until a later review lets the pipeline go on.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Parser }
  WS2: { name: Pages, depends_on: [WS1] }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1
ckpt pipeline review PRD-001 do_not_ship --p0 2
expect blocked
ckpt pipeline done PRD-001 WS1
expect blocked
ckpt pipeline review PRD-001 ship
gone blocked
