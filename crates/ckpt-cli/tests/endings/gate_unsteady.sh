# A gate that failed and then passed on the same content is told until it runs on other content.
put spec.md << END
---
prd: PRD-001
workstreams:
  WS1: { name: Form, gate: lint }
  WS2: { name: Mail, depends_on: [WS1] }
gates:
  lint: { command: "test -e $LIFE/luck" }
---
END
git add . && git commit --quiet -m "Specify it"
ckpt pipeline init spec.md
ckpt pipeline start PRD-001 WS1
ckpt pipeline done PRD-001 WS1
ckpt pipeline gate run PRD-001 lint --for WS1 || ckpt pipeline fixed PRD-001
gone gate_unsteady
touch "$LIFE/luck"
ckpt pipeline gate run PRD-001 lint --for WS1
expect gate_unsteady
commits src/form.py "def form(): ..."
gone gate_unsteady
ckpt pipeline gate run PRD-001 lint --for WS1
gone gate_unsteady
