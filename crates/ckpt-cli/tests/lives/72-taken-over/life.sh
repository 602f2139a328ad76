# A session is killed in one approach. A second one takes over, is told to use another, and ends as it should, half done.
mkdir -p src
printf 'from limit_redis import allow\n\n\ndef handle(request):\n    return serve(request) if allow(request.client) else 429\n' > src/middleware.py
printf 'def allow(client):\n    return redis.incr(client) < 100\n' > src/limit_redis.py
git add src && git commit --quiet -m "Count requests in Redis"
ckpt start implement rate-limit --phases research,build,test,rollout > /dev/null

begins early
prompt early 'Limit requests per client. Finish what is in src/limit_redis.py.'
runs early "ckpt phase implement/rate-limit research complete --summary 'A token bucket in Redis; every node has Redis. 100 requests a minute, 429 with Retry-After.'"
runs early "ckpt phase implement/rate-limit build in_progress --task T003 --summary 'T003: move the counting of src/limit_redis.py into a Lua script so that it is atomic.'"
spawns early lua 'T003 of implement/rate-limit: write the Lua script src/bucket.lua.'
sub_writes early lua src/bucket.lua <<< 'local n = redis.call("INCR", KEYS[1])  -- TODO refill'
sub_says early lua 'The counter is in src/bucket.lua, the refill is still missing.'
says early 'When src/bucket.lua refills, I load it in src/limit_redis.py and build is finished.'
dies early

begins late
prompt late 'Take over the rate limit. Operations will not run Redis on the edge nodes, so count in the process, with a sliding window.'
writes late src/limit_window.py << 'END'
from collections import defaultdict, deque

hits = defaultdict(deque)


def allow(client, now):
    window = hits[client]
    while window and window[0] <= now - 60:
        window.popleft()
    window.append(now)
    return len(window) <= 100
END
runs late "git add src/limit_window.py && git commit --quiet -m 'Count requests in a sliding window'"
runs late "ckpt phase implement/rate-limit build in_progress --task T005 --created src/limit_window.py --summary 'Redis is out: operations do not run it on the edge nodes. src/limit_window.py counts in the process and is finished. T005: make src/middleware.py call it (allow now needs the time, and Retry-After is still missing), then delete src/limit_redis.py and src/bucket.lua, left over from the first attempt.'"
says late 'The window is finished and committed. The middleware still calls Redis, that is T005. I stop here for today.'
ends late
