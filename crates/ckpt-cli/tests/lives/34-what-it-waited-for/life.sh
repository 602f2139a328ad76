# Everything that is left waits for a deferred workstream. After the session was killed, a commit was pulled that brings
# what it was deferred for, and that removes what a note of the run relies on.
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-080.md << 'END'
---
prd: PRD-080
prd_title: Foreign invoices
workstreams:
  WS1: { name: Rate storage }
  WS2: { name: Daily rates, depends_on: [WS1] }
  WS3: { name: Invoice totals, depends_on: [WS2] }
---
END
printf 'export function fetchRates() {\n  return fetch("https://rates.invalid/v1");\n}\n' > src/rates.ts
git add docs src && git commit --quiet -m "Fetch rates"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-080.md > /dev/null

begins s1
prompt s1 'Build PRD-080 as far as it goes.'
runs s1 "ckpt pipeline start PRD-080 WS1"
writes s1 src/store.ts <<< 'export const rates = new Map<string, number>();'
runs s1 "git add src && git commit --quiet -m 'Store rates'"
runs s1 "ckpt pipeline done PRD-080 WS1 --artifact src/store.ts --artifact src/rates.ts"
runs s1 "ckpt pipeline note PRD-080 --key-fix 'src/rates.ts: call \`fetchRates\` once for each run, the old provider blocks us otherwise'"
runs s1 "ckpt pipeline defer PRD-080 WS2 --reason 'needs the client for the central bank in src/rates.ts, which Bo is writing'"
says s1 'WS2 is deferred for Bo. WS3 would need invented rates, so I leave it.'
dies s1

git clone --quiet . ../bo
(
    cd ../bo
    printf 'export class CentralBank {\n  daily() {\n    return fetch("https://bank.invalid/daily");\n  }\n}\n' > src/rates.ts
    by Bo git commit --quiet --all -m "Add a client for the central bank"
)
git pull --quiet ../bo main
