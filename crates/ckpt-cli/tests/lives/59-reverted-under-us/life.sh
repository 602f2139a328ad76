# A finished task was reverted by a colleague after an incident. The plan still has its tick, and the next task builds on it.
put plans/260410-1400-sessions/plan.md <<'END'
# Faster sessions

<!-- CHECKPOINT: cache -->
- [ ] Cache sessions in memory <!-- TASK: cache-sessions -->
- [ ] Drop cached sessions after ten minutes <!-- TASK: expire-cache -->
- [ ] Show the hit rate on the status page <!-- TASK: hit-rate -->
END
put src/session.php <<< "function session(\$tenant, \$user) { return db(\$tenant, \$user); }"
git add . && git commit --quiet -m "Plan faster sessions"
ckpt plan sync
git clone --quiet --bare . "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git" && git fetch --quiet && git branch --quiet -u origin/main

begins s1
prompt s1 "Make sessions faster, by the plan."
runs s1 "ckpt plan note 'cache-sessions: the user id is enough as a key, keep it short'"
writes s1 src/session.php <<< "function session(\$tenant, \$user) { return cache(\$user) ?? cache(\$user, db(\$tenant, \$user)); }"
runs s1 "git commit -qam 'Cache sessions in memory' && ckpt plan done cache-sessions && git commit -qam 'Tick the cache' && git push -q"
runs s1 "ckpt plan note 'expire-cache: one timer for the whole cache, in src/session.php next to cache()'"
says s1 "The cache is in and pushed. The expiry is a few lines in the same function, I do it tomorrow."
ends s1

git clone --quiet "$LIFE/origin.git" "$LIFE/olu"
(
    cd "$LIFE/olu"
    commit=$(git log --format=%h --grep '^Cache sessions in memory' -1)
    by Olu git revert --no-edit "$commit" > /dev/null
    by Olu git commit --quiet --amend -m "Revert the session cache: it served sessions of other tenants

Incident 212. User ids are unique only within a tenant, so the key
must be tenant and user. Bring it back only with that, and a test."
    put CHANGELOG.md <<< "1.8.1: sessions are not cached"
    git add CHANGELOG.md && by Olu git commit --quiet -m "Release 1.8.1"
    git push --quiet
)
git pull --quiet
