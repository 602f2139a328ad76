# A deferred workstream that others wait for is told until the specification drops it.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Webhooks }
  WS2: { name: Live map, depends_on: [WS1] }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline defer PRD-001 WS1 --reason 'the carrier is not ready'
expect deferred
sed -i -e '/WS1: /d' -e 's/, depends_on: \[WS1\]//' docs/spec.md
git commit --quiet --all -m "Drop the webhooks"
ckpt pipeline sync PRD-001
gone deferred
