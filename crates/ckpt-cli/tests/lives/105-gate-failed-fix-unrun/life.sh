git switch --quiet -c feature/ledger
put docs/EXECUTION-SPEC-PRD-131.md << 'END'
---
prd: PRD-131
prd_title: Ledger
workstreams:
  WS1: { name: Ledger tables, outputs: [sql/ledger.sql], gate: tables }
  WS2: { name: Bank import, depends_on: [WS1], outputs: [src/bank_import.py] }
  WS3: { name: Reconciliation, depends_on: [WS1], outputs: [src/reconcile.py], gate: balance }
  WS4: { name: Month-end report, depends_on: [WS2, WS3], outputs: [src/report.py] }
gates:
  tables: { command: "grep -q 'create table' sql/ledger.sql" }
  balance: { command: "sh scripts/check_balance.sh" }
---
END
put scripts/check_balance.sh <<< '! grep -q float src/reconcile.py'
git add . && git commit --quiet -m 'Add the specification of PRD-131'
ckpt pipeline init docs/EXECUTION-SPEC-PRD-131.md
begins early
prompt early 'Start PRD-131.'
runs early 'ckpt pipeline start PRD-131 WS1'
writes early sql/ledger.sql <<< 'create table ledger (id bigint, cents bigint);'
runs early 'git add sql && git commit -m "Add the ledger tables"'
runs early 'ckpt pipeline done PRD-131 WS1 --artifact sql/ledger.sql; ckpt pipeline gate run PRD-131 tables --for WS1'
prompt early 'Tables approved. Also prepare the handbook of the ledger; it is written when PRD-131 is finished.'
runs early 'ckpt start implement ledger-handbook --phases outline,write'
runs early 'ckpt phase implement/ledger-handbook outline complete --summary "Five chapters. Writing waits until PRD-131 is finished."'
runs early 'ckpt pipeline approve PRD-131'
ends early
begins middle
prompt middle 'Go on with PRD-131, WS2 and WS3 in parallel.'
runs middle 'ckpt pipeline start PRD-131 WS2 WS3'
spawns middle importer 'WS2 of PRD-131: write src/bank_import.py.'
spawns middle reconciler 'WS3 of PRD-131: write src/reconcile.py.'
sub_writes middle importer src/bank_import.py <<< 'def entries(path): ...'
sub_writes middle reconciler src/reconcile.py <<< 'def total(entries): return sum(float(entry.cents) / 100 for entry in entries)'
reports middle importer '{"task_id": "WS2", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {"files_created": [{"path": "src/bank_import.py", "purpose": "import"}]}, "context_summary": "Reads camt.053 only."}'
reports middle reconciler '{"task_id": "WS3", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {"files_created": [{"path": "src/reconcile.py", "purpose": "matching"}]}, "context_summary": "Matches by amount and date."}'
runs middle 'git add src && git commit -m "Add bank import and reconciliation"'
runs middle 'ckpt pipeline done PRD-131 WS2 --artifact src/bank_import.py && ckpt pipeline done PRD-131 WS3 --artifact src/reconcile.py'
runs middle 'ckpt pipeline gate run PRD-131 balance --for WS3'
says middle 'The balance gate failed: the totals are off by a cent, because reconcile.py adds up floats.'
ends middle
begins late
prompt late 'Fix the cent in reconcile.py. Do not touch scripts/check_balance.sh, the auditors own it.'
writes late src/reconcile.py <<< 'def total(entries): return sum(entry.cents for entry in entries)'
says late 'reconcile.py adds up whole cents now. Next I commit that, record the failure as fixed and run the balance gate again.'
dies late
