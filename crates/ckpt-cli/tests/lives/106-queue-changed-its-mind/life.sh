printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put plans/260305-0900-job-queue/plan.md << 'END'
# Job queue
## Store
<!-- CHECKPOINT: store -->
- [ ] Store for jobs <!-- TASK: queue-store -->
- [ ] Enqueue from the API <!-- TASK: enqueue-api -->
- [ ] Run migration 0042 on production <!-- TASK: run-migration -->
## Worker
<!-- CHECKPOINT: worker -->
- [ ] Worker loop <!-- TASK: worker-loop -->
- [ ] Graceful stop <!-- TASK: graceful-stop -->
- [ ] Metrics <!-- TASK: metrics -->
END
git add . && git commit --quiet -m 'Add the plan for the job queue'
git switch --quiet -c feature/job-queue
begins mon
prompt mon 'Start with the job queue.'
runs mon 'ckpt plan decide "Redis streams for the store" --reason "fast enough" --phase store'
writes mon src/queue/redis_store.py <<< 'def put(job): redis.xadd("jobs", job)'
runs mon 'ckpt plan done queue-store && git add . && git commit -m "Store jobs in Redis"'
ends mon
begins tue
prompt tue 'Ops will not run a Redis for us. Use Postgres with SKIP LOCKED.'
runs tue 'ckpt plan undo queue-store'
runs tue 'ckpt plan decide "Postgres with SKIP LOCKED replaces Redis streams" --reason "Ops will not run Redis" --phase store'
runs tue 'git rm --quiet src/queue/redis_store.py'
writes tue src/queue/store.py <<< 'TAKE = "select ... for update skip locked limit 1"'
writes tue migrations/0042_jobs.sql <<< 'create table jobs (id bigint, taken_at timestamptz);'
runs tue 'ckpt plan done queue-store && git add . && git commit -m "Store jobs in Postgres"'
writes tue src/api/enqueue.py <<< 'def enqueue(job): store.put(job)'
runs tue 'ckpt plan done enqueue-api && git add . && git commit -m "Enqueue from the API"'
compacts tue
ends tue
begins wed
prompt wed 'Do not run the migration on production before Dana has confirmed the maintenance window. Meanwhile go on with the worker.'
runs wed 'ckpt plan block "run-migration waits for Dana: maintenance window not confirmed" --phase store'
runs wed 'ckpt plan claim worker-loop'
writes wed src/queue/worker.py <<< 'def loop(): job = store.take(); run(job); store.finish(job)  # does not renew yet'
runs wed 'git add . && git commit -m "Worker loop takes and finishes jobs"'
runs wed 'ckpt plan note "worker-loop: taking and finishing works; a taken job is handed out again after 90 seconds, so the loop must renew taken_at every 30 seconds, still missing"'
says wed 'Taking and finishing jobs works. Renewing is the last part of the worker loop.'
ends wed
begins thu
prompt thu 'Just a badge for the README, please.'
runs thu 'ckpt start implement badge --phases edit'
writes thu README.md <<< '# Project ![build](badge.svg)'
runs thu 'git commit -a -m "Add a badge"'
runs thu 'ckpt phase implement/badge edit complete && ckpt complete implement/badge'
ends thu
