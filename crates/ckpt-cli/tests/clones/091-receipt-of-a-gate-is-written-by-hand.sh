# A receipt is written by hand, for the very content, with a command that names a program of the clone.
#: unproven PRD-001
printf -- '---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  WS2: { name: Pages, depends_on: [WS1] }\ngates:\n  tests: { command: "%s" }\n---\n' "$CANARY" > spec.md
git add -A && git commit -q -m first
"$CKPT" pipeline init spec.md > /dev/null
"$CKPT" pipeline start PRD-001 WS1 && "$CKPT" pipeline done PRD-001 WS1
"$CKPT" pipeline gate run PRD-001 tests --for WS1 > /dev/null
sed -i 's/"seal": *"[^"]*"/"seal": null/; /"index"/d' .claude/skills/build-pipeline/checkpoints/PRD-001.json
rm -rf .claude/state
