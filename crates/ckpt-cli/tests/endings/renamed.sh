# A workstream in progress that has another name by now is told until it is done.
specifies_form
ckpt pipeline start PRD-001 WS1
gone renamed
sed -i 's/name: Form/name: Consent/' spec.md
expect renamed
ckpt pipeline sync PRD-001
expect renamed
ckpt pipeline done PRD-001 WS1
gone renamed
