printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put src/http/client.py <<< 'def get(url): return send("GET", url)'
put plans/260309-1500-http-docs/plan.md << 'END'
# Documentation of the HTTP client
<!-- CHECKPOINT: docs -->
- [ ] Page about timeouts <!-- TASK: timeouts-page -->
- [ ] Page about retries <!-- TASK: retries-page -->
END
git add . && git commit --quiet -m 'Add the client'
git clone --quiet --bare . "$LIFE/origin.git" && git remote add origin "$LIFE/origin.git" && git fetch --quiet origin
begins docs
prompt docs 'Write the page about timeouts.'
writes docs docs/timeouts.md <<< '# Timeouts'
runs docs 'ckpt plan done timeouts-page && git add . && git commit -m "Add a page about timeouts" && git push origin main'
ends docs
git switch --quiet -c feature/http-retry
begins first
prompt first 'Add retries to the HTTP client.'
runs first 'ckpt start implement http-retry --phases research,build,test'
runs first 'ckpt phase implement/http-retry research complete --summary "Retry only GET and HEAD, at most three times, never after a body was read."'
runs first 'ckpt phase implement/http-retry build in_progress --task T002'
ends first
begins second
prompt second 'Go on with the retries.'
writes second src/http/client.py <<< 'def get(url): return retry(3, lambda: send("GET", url))'
runs second 'git commit -a -m "Retry GET three times"'
writes second src/http/backoff.py <<< 'def delays(): yield from (0.2, 0.4, 0.8)'
runs second 'git add src && git commit -m "Wait between attempts" && git push origin feature/http-retry'
runs second 'ckpt phase implement/http-retry build in_progress --task T003 --summary "Retry loop and delays are in; HEAD is missing." --modified src/http/client.py --created src/http/backoff.py'
git clone --quiet -b main "$LIFE/origin.git" "$LIFE/ben"
(cd "$LIFE/ben" && echo 'def get(url, timeout=10): return send("GET", url, timeout)' > src/http/client.py \
    && by Ben git commit --quiet -a -m 'Give every request a timeout' && git push --quiet origin main)
prompt second 'Ben has pushed timeouts to main. Rebase onto origin/main. But do not force-push the branch before Ben has looked at it.'
runs second 'git fetch origin && git rebase origin/main'
compacts second
writes second src/http/client.py <<< 'def get(url, timeout=10): return retry(3, lambda: send("GET", url, timeout))'
says second 'client.py has both now: the timeout of Ben and our retry loop. Left to do: git add, git rebase --continue, and look at the second commit.'
dies second
