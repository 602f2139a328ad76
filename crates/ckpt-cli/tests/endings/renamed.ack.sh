# A workstream that only got a better name can be acknowledged.
put spec.md << 'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Form }
  WS2: { name: Mail, depends_on: [WS1] }
---
END
git add . && git commit --quiet -m "Specify it"
ckpt pipeline init spec.md
ckpt pipeline start PRD-001 WS1
sed -i 's/name: Form/name: Sign in form/' spec.md
ckpt pipeline sync PRD-001
expect renamed
ckpt ack WS1
gone renamed
