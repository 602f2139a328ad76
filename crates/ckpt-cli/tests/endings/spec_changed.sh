# A specification that changed is told until `ckpt pipeline sync`; a commit of the change leaves it.
put docs/spec.md <<'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Prices }
  WS2: { name: Checkout, depends_on: [WS1] }
---
END
git add . && git commit --quiet -m "Specify"
ckpt pipeline init docs/spec.md
ckpt pipeline start PRD-001 WS1
gone spec_changed

sed -i 's/  WS2: .*/&\n  WS3: { name: Mails }/' docs/spec.md
expect spec_changed
git commit --quiet --all -m "Add the mails"
ckpt pipeline done PRD-001 WS1
expect spec_changed
ckpt pipeline sync PRD-001
gone spec_changed
