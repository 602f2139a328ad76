# A session takes a task of a later phase first, because a customer waits for it. It commits half of it and is killed.
put plans/260302-0910-public-api/plan.md <<'END'
# Public API hardening

## Foundations
<!-- CHECKPOINT: foundations -->
- [ ] Version the routes under /v1 <!-- TASK: route-prefix -->
- [ ] Write an audit record for each write <!-- TASK: audit-log -->
- [ ] Return problem+json for every error <!-- TASK: problem-json -->

## Protection
<!-- CHECKPOINT: protection -->
- [ ] Limit requests for each key <!-- TASK: rate-limit -->
- [ ] Reject bodies over 1 MiB <!-- TASK: body-limit -->
END
put api/limit.py <<'END'
def allow(key):
    return True
END
git add . && git commit --quiet -m "Plan the hardening of the public API"
ckpt plan sync

begins api
prompt api "Work through the plan for the public API. One customer is hammering us, so take the limiter early."
runs api "ckpt plan claim route-prefix"
runs api "echo /v1 > api/routes.txt && git add api && git commit -qm 'Put the routes under /v1'"
runs api "ckpt plan done route-prefix"
runs api "ckpt plan decide 'Audit records go to Postgres, not to a file' --reason 'support searches them'"
runs api "ckpt plan claim rate-limit"
writes api api/limit.py <<'END'
WINDOW_SECONDS = 60
hits = {}

def allow(key, now, quota):
    recent = [t for t in hits.get(key, []) if now - t < WINDOW_SECONDS]
    hits[key] = recent + [now]
    return len(recent) < quota
END
runs api "git commit -qam 'Count requests for each key'"
says api "The counter in api/limit.py is per process and we run four workers, so the real quota is four times too high. Moving it to Redis now."
dies api
