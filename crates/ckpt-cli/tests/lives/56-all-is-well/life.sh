# Nothing is wrong. A gate failed and then passed, a crash was recovered from, and the pause was approved.
put docs/EXECUTION-SPEC-PRD-081.md <<'END'
---
prd: PRD-081
prd_title: Gift cards
workstreams:
  WS1: { name: Card codes, gate: codes }
  WS2: { name: Redeeming, depends_on: [WS1] }
  WS3: { name: Balance page, depends_on: [WS2] }
gates:
  codes:
    command: "grep -q checksum src/codes.rb"
---
END
put src/codes.rb <<< "def code = random(12)"
git add . && git commit --quiet -m "Specify gift cards"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-081.md > /dev/null

begins s1
prompt s1 "Build PRD-081 from the beginning to the end, no need to ask me in between."
runs s1 "ckpt pipeline start PRD-081 WS1 && ckpt pipeline done PRD-081 WS1 --artifact src/codes.rb"
runs s1 "ckpt pipeline gate run PRD-081 codes --for WS1"
says s1 "The gate wants a checksum in the code, I add one."
dies s1

begins s2
prompt s2 "Go on."
writes s2 src/codes.rb <<< "def code = with_checksum(random(12)) # checksum by Luhn"
runs s2 "git commit -qam 'Give card codes a checksum'"
runs s2 "ckpt pipeline fixed PRD-081"
runs s2 "ckpt pipeline gate run PRD-081 codes --for WS1"
prompt s2 "Codes look good, go on with redeeming."
runs s2 "ckpt pipeline approve PRD-081"
runs s2 "ckpt pipeline start PRD-081 WS2"
spawns s2 a1 "WS2: redeem a gift card at checkout."
sub_writes s2 a1 src/redeem.rb <<< "def redeem(code, order) = order.pay(balance(code))"
reports s2 a1 '{"task_id": "WS2", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {"files_created": [{"path": "src/redeem.rb", "purpose": "redeem a card"}]}, "context_summary": "redeem in src/redeem.rb pays from the balance; balance(code) returns cents.", "issues": []}'
runs s2 "git add src && git commit -qm 'Redeem gift cards'"
runs s2 "ckpt pipeline done PRD-081 WS2 --artifact src/redeem.rb"
compacts s2
runs s2 "ckpt pipeline gate run PRD-081 codes --for WS1"
runs s2 "ckpt pipeline approve PRD-081"
says s2 "WS1 and WS2 are finished and committed, the gate passes on this content. WS3, the balance page, is next."
ends s2
