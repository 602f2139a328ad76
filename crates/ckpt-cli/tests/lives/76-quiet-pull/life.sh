# A gate failed and passed later, a workstream was deferred and taken up, the specification changed and was applied. Then a
# commit is pulled that touches nothing of this work. Go on.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-131.md << 'END'
---
prd: PRD-131
prd_title: Calendar feeds
workstreams:
  WS1: { name: Feed of events, gate: feed }
  WS2: { name: Private addresses, depends_on: [WS1] }
  WS3: { name: Page with the addresses, depends_on: [WS2] }
gates:
  feed: { command: "grep -q 'END:VCALENDAR' src/feed.py" }
---
END
echo "Office hours: 9 to 5" > docs/office.md
git add . && git commit --quiet -m "Specify calendar feeds"
git push --quiet -u origin main
ckpt pipeline init docs/EXECUTION-SPEC-PRD-131.md > /dev/null

begins s1
prompt s1 'Build PRD-131. I approve what passes its gate.'
runs s1 "ckpt pipeline start PRD-131 WS1 && echo 'HEAD = \"BEGIN:VCALENDAR\"' > src/feed.py && git add . && git commit -qm 'Begin the feed'"
runs s1 "ckpt pipeline done PRD-131 WS1 --artifact src/feed.py"
runs s1 "ckpt pipeline gate run PRD-131 feed --for WS1"
runs s1 "echo 'TAIL = \"END:VCALENDAR\"' >> src/feed.py && git commit -qam 'End the feed' && ckpt pipeline fixed PRD-131"
runs s1 "ckpt pipeline gate run PRD-131 feed --for WS1"
prompt s1 'I have looked at the feed. Approved.'
runs s1 "ckpt pipeline approve PRD-131"
runs s1 "ckpt pipeline defer PRD-131 WS2 --reason 'Tom chooses how long an address is'"
prompt s1 'Tom says 32 characters. Add a workstream for the help page at the end.'
runs s1 "sed -i '/WS3:/a\\  WS4: { name: Help page, depends_on: [WS3] }' docs/EXECUTION-SPEC-PRD-131.md && ckpt pipeline sync PRD-131"
runs s1 "ckpt pipeline start PRD-131 WS2 && echo 'LENGTH = 32' > src/address.py && git add . && git commit -qm 'Give every feed a private address'"
runs s1 "ckpt pipeline done PRD-131 WS2 --artifact src/address.py"
runs s1 "ckpt pipeline note PRD-131 --key-fix 'src/address.py: addresses are shown once and kept as hashes, so the page of WS3 offers a new one instead of the old'"
runs s1 "ckpt pipeline gate run PRD-131 feed --for WS1 && ckpt pipeline approve PRD-131; git add . && git commit -qm 'Keep the receipt'; git push -q"
says s1 'WS1 and WS2 are done, approved and pushed. WS3 is next.'
ends s1

git clone --quiet "$LIFE/origin.git" "$LIFE/mira"
(cd "$LIFE/mira" && echo "Office hours: 10 to 6" > docs/office.md && by Mira git commit --quiet -am "Open later in winter" && git push --quiet)
git pull --quiet
