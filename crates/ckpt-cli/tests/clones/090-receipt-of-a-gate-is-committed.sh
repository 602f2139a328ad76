# The author ran the gates of a pipeline with commands that always pass, and committed the receipts.
#: unproven PRD-001
printf -- '---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  WS2: { name: Pages, depends_on: [WS1] }\ngates:\n  tests: { command: "true" }\n---\n' > spec.md
git add -A && git commit -q -m first
"$CKPT" pipeline init spec.md > /dev/null
"$CKPT" pipeline start PRD-001 WS1 && "$CKPT" pipeline done PRD-001 WS1
"$CKPT" pipeline gate run PRD-001 tests --for WS1 > /dev/null
"$CKPT" pipeline gate check PRD-001 > /dev/null
