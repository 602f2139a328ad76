# After a session has ended, a colleague's work is pulled that already retries, in the file where the next task adds retries.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
put plans/260305-1000-polite-client/plan.md <<'END'
# A polite HTTP client

<!-- CHECKPOINT: client -->
- [ ] Send a User-Agent that names us <!-- TASK: user-agent -->
- [ ] Wait as long as Retry-After says <!-- TASK: retry-after -->
- [ ] Cache answers by ETag <!-- TASK: etag-cache -->
END
put net/client.py <<< "def send(request): return connection().send(request)"
put net/cache.py <<< "def lookup(url): return None"
git add . && git commit --quiet -m "Plan the polite client"
git push --quiet -u origin main
ckpt plan sync

begins net
runs net "echo 'AGENT = \"crawler/2\"' >> net/client.py && ckpt plan done user-agent && git commit -qam 'Send a User-Agent' && git push -q"
runs net "ckpt plan claim retry-after"
runs net "ckpt plan note 'retry-after: send in net/client.py gives up at the first 503, add one loop around it that sleeps'"
runs net "ckpt plan note 'etag-cache can reuse net/cache.py'"
says net "The loop around send comes next, nothing of it is written yet."
ends net

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    put net/client.py <<'END'
def send(request):
    for attempt in range(3):
        answer = connection().send(request)
        if answer.status < 500: return answer
    return answer
AGENT = "crawler/2"
END
    by Grace git commit --quiet -am "Retry every request three times at once"
    put README.md <<< "# The project"
    by Grace git commit --quiet -am "Fix the title of the README"
    git push --quiet
)
put net/cache.py <<< "def lookup(url, clock): return None"
git commit --quiet -am "Give the cache a clock"
git pull --quiet --no-rebase --no-edit
