printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put plans/260311-1130-pg16-upgrade/plan.md << 'END'
# Postgres 16
<!-- CHECKPOINT: upgrade -->
- [ ] Replica on version 16 <!-- TASK: replica -->
- [ ] Cut over to the replica <!-- TASK: replica-cutover -->
END
put docs/EXECUTION-SPEC-PRD-207.md << 'END'
---
prd: PRD-207
prd_title: Audit
workstreams:
  WS1: { name: Access log, outputs: [audit/access.csv], gate: complete-log }
  WS2: { name: Evidence of changes, depends_on: [WS1], outputs: [audit/evidence.csv], gate: evidence }
  WS3: { name: Retention text, depends_on: [WS1], outputs: [audit/retention.md] }
  WS4: { name: Retention job, depends_on: [WS3], outputs: [src/retention.py] }
  WS5: { name: Report for the auditor, depends_on: [WS2], outputs: [audit/report.md] }
gates:
  complete-log: { command: "test -s audit/access.csv" }
  evidence: { command: "sh scripts/evidence.sh" }
---
END
put scripts/evidence.sh <<< 'test "$(cut -d, -f1 audit/evidence.csv | sort | uniq -d | wc -l)" -eq 0'
git add . && git commit --quiet -m 'Add the plan and the specification of the audit'
git switch --quiet -c quarter-end
begins s1
prompt s1 'Go on with the upgrade to Postgres 16.'
runs s1 'ckpt plan use 260311-1130-pg16-upgrade && ckpt plan done replica && git commit -a -m "Tick what is done"'
ends s1
begins s2
prompt s2 'Park the upgrade until the audit is over. PRD-207 comes first. WS3 waits for legal.'
runs s2 'ckpt plan block "replica-cutover is parked until the audit PRD-207 is over" && ckpt plan use --none && git commit -a -m "Park the upgrade"'
runs s2 'ckpt pipeline init docs/EXECUTION-SPEC-PRD-207.md && ckpt pipeline defer PRD-207 WS3 --reason "legal has to sign the retention text" && ckpt pipeline start PRD-207 WS1'
writes s2 audit/access.csv <<< 'ada,2026-03-01,login'
runs s2 'git add audit && git commit -m "Add the access log" && ckpt pipeline done PRD-207 WS1 --artifact audit/access.csv && ckpt pipeline gate run PRD-207 complete-log --for WS1'
prompt s2 'Access log approved, go on with the evidence.'
runs s2 'ckpt pipeline approve PRD-207 && ckpt pipeline start PRD-207 WS2'
ends s2
begins s3
prompt s3 'Go on with PRD-207.'
writes s3 audit/evidence.csv <<< $'c1,approved by Ben\nc2,approved by Cleo'
runs s3 'git add audit && git commit -m "Add the evidence" && ckpt pipeline done PRD-207 WS2 --artifact audit/evidence.csv && ckpt pipeline gate pass PRD-207 evidence --for WS2'
says s3 'The database that the evidence gate needs is down, so I looked for duplicates by eye and recorded the gate as passed.'
ends s3
begins s4
prompt s4 'By eye is not enough for an auditor. The database is back: run the evidence gate for real before anything builds on WS2. But first correct the name in the access log.'
writes s4 audit/access.csv <<< 'Ada Lovelace,2026-03-01,login'
runs s4 'git commit -a -m "Write the full name" && ckpt pipeline note PRD-207 --key-fix "audit/access.csv: full names instead of logins"'
says s4 'The access log has full names now. My time is up; the evidence gate has not been run yet.'
ends s4
