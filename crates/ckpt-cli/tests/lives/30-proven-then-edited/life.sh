# All workstreams are done and the last gate passed. Then the session found a mistake, corrected it without a commit, and
# was killed before the gate ran again. The pipeline is paused and looks finished.
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-041.md << 'END'
---
prd: PRD-041
prd_title: Monthly report
workstreams:
  WS1: { name: Report data }
  WS2: { name: Report pages, depends_on: [WS1], gate: e2e }
gates:
  e2e: { command: "grep -q pages src/report.py" }
---
END
git add docs && git commit --quiet -m "Specify the monthly report"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-041.md > /dev/null

begins s1
prompt s1 'Build PRD-041 to the end.'
runs s1 "ckpt pipeline start PRD-041 WS1"
writes s1 src/data.py <<< 'def rows(month): ...'
runs s1 "ckpt pipeline done PRD-041 WS1 --artifact src/data.py"
runs s1 "ckpt pipeline start PRD-041 WS2"
writes s1 src/report.py <<< 'def pages(rows): return len(rows) // 40'
runs s1 "git add src && git commit --quiet -m 'Write the monthly report'"
runs s1 "ckpt pipeline done PRD-041 WS2 --artifact src/report.py"
runs s1 "ckpt pipeline gate run PRD-041 e2e --for WS2"
says s1 'e2e passed. While I looked at the output I saw that the last page is missing.'
writes s1 src/report.py <<< 'def pages(rows): return -(-len(rows) // 40)'
says s1 'The last page is there now in src/report.py. That was after e2e, so I commit it and run e2e once more before anybody approves.'
dies s1
