# A workstream that failed is told until the failure is recorded as fixed; a done workstream leaves it.
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
ckpt pipeline start PRD-001 WS1 WS2
ckpt pipeline fail PRD-001 WS1 --message 'the grammar is ambiguous' --file src/parser.ts --line 3
expect failed
ckpt pipeline done PRD-001 WS2
expect failed
ckpt pipeline fixed PRD-001
gone failed
