# A deferred workstream that others wait for is told until it is started; other workstreams leave it.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Webhooks }
  WS2: { name: Live map, depends_on: [WS1] }
  WS3: { name: Labels }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline defer PRD-001 WS1 --reason 'the carrier is not ready'
expect deferred
ckpt pipeline start PRD-001 WS3
ckpt pipeline done PRD-001 WS3
expect deferred
ckpt pipeline start PRD-001 WS1
gone deferred
