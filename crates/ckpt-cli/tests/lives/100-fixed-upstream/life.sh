mkdir -p docs src/export test
echo 'export const round = (x) => Math.round(x * 100) / 100;' > src/money.ts
echo 'grep -q halfEven src/money.ts' > test/ledger.sh
cat > docs/EXECUTION-SPEC-PRD-052.md <<'END'
---
prd: PRD-052
prd_title: Month end export
workstreams:
  WS1: { name: Ledger query, outputs: [src/export/query.ts] }
  WS2: { name: CSV export, depends_on: [WS1], outputs: [src/export/csv.ts] }
  WS3: { name: Ledger totals, depends_on: [WS1], outputs: [src/export/totals.ts], gate: ledger }
  WS4: { name: DATEV export, depends_on: [WS1], outputs: [src/export/datev.ts] }
  WS5: { name: Month end page, depends_on: [WS2, WS3, WS4] }
gates:
  ledger: { command: "sh test/ledger.sh" }
---
END
git add . && git commit --quiet -m 'Specify PRD-052'
git clone --quiet --bare . "$LIFE/origin.git" && git clone --quiet "$LIFE/origin.git" "$LIFE/bob"
git remote add origin "$LIFE/origin.git" && git fetch --quiet && git branch --quiet --set-upstream-to=origin/main
begins s1
prompt s1 'Build PRD-052. src/money.ts belongs to Bob, payroll uses it too. Do not change it; tell me if it is wrong.'
runs s1 'ckpt pipeline init docs/EXECUTION-SPEC-PRD-052.md && ckpt pipeline start PRD-052 WS1'
writes s1 src/export/query.ts <<< 'export const entries = (month) => db.ledger.where({ month });'
runs s1 'git add . && git commit --quiet -m "Query the ledger" && ckpt pipeline done PRD-052 WS1 --artifact src/export/query.ts && ckpt pipeline start PRD-052 WS2 WS3 WS4'
writes s1 src/export/csv.ts <<< 'export const csv = (rows) => rows.map(line).join("\n");'
writes s1 src/export/totals.ts <<< 'export const total = (rows) => round(rows.reduce(add, 0));'
runs s1 'git add . && git commit --quiet -m "Add CSV and totals" && ckpt pipeline done PRD-052 WS2 --artifact src/export/csv.ts && git push --quiet'
writes s1 src/export/datev.ts <<< 'export const header = ["EXTF", 700, 21]; // booking lines are missing'
runs s1 "ckpt pipeline fail PRD-052 WS3 --message 'Totals differ from the ledger by a cent: round() rounds half up, the ledger half to even' --file src/money.ts --line 1"
says s1 'WS3 fails because of round() in src/money.ts, which is not ours to change. WS4 has only its header so far. I wait for Bob.'
prompt s1 'I told Bob, he fixes it upstream. Stop here until I have pulled his fix.'
ends s1
git -C "$LIFE/bob" pull --quiet
echo 'export const round = (x) => halfEven(x * 100) / 100;' > "$LIFE/bob/src/money.ts"
by Bob git -C "$LIFE/bob" commit --quiet -am 'Round half to even, as the ledger does (PRD-052 WS3)'
git -C "$LIFE/bob" push --quiet
git pull --quiet
