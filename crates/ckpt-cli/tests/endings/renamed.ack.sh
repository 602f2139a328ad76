# A workstream that only got a better name can be acknowledged.
specifies_form
ckpt pipeline start PRD-001 WS1
sed -i 's/name: Form/name: Sign in form/' spec.md
ckpt pipeline sync PRD-001
expect renamed
ckpt ack WS1
gone renamed
