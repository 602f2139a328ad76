# A failed phase that must not be run again from its start, and a sub-agent that was still writing the way out of it when
# its session ended.
ckpt start implement ledger --phases schema,backfill,verify,cutover > /dev/null
mkdir -p scripts db
echo 'alter table ledger_entries add column amount_minor bigint;' > db/014_amount_minor.sql
printf '#!/bin/sh\n# Adds the amounts of all 80 batches.\nfor batch in $(seq 1 80); do ./apply_batch "$batch"; done\n' > scripts/backfill.sh
git add db scripts && git commit --quiet -m "Add minor units to the ledger"

begins s1
prompt s1 'Move the ledger to minor units.'
runs s1 "ckpt phase implement/ledger schema complete --created db/014_amount_minor.sql --summary 'Column amount_minor exists on production since Monday. Old readers ignore it.'"
runs s1 "ckpt phase implement/ledger backfill in_progress"
runs s1 "ckpt phase implement/ledger backfill failed --error 'lock timeout on ledger_entries in batch 42 of 80' --modified scripts/backfill.sh --summary 'Batches 1 to 41 are applied in production and applying one twice doubles its balances. scripts/backfill.sh always begins at batch 1, so it must never be started again as it is. Go on from batch 42.'"
spawns s1 a7 'Write scripts/resume_backfill.sh for phase backfill of implement/ledger: it takes the first batch as its argument and stops at a lock timeout.'
sub_writes s1 a7 scripts/resume_backfill.sh << 'END'
#!/bin/sh
# Applies the batches from $1 to 80.
for batch in $(seq "$1" 80); do ./apply_batch "$batch"; done
END
sub_says s1 a7 'The loop is written. Still missing: it goes on after a lock timeout, so a failed batch would be skipped without a word.'
says s1 'The sub-agent is writing the resume script. You wanted to leave now, so I end here.'
ends s1
