# A workstream in progress that has another name by now is told until it is done.
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
gone renamed
sed -i 's/name: Form/name: Consent/' spec.md
expect renamed
ckpt pipeline sync PRD-001
expect renamed
ckpt pipeline done PRD-001 WS1
gone renamed
