# A sub-agent answers STOP by its hook for a task of a plan. A pulled commit looks as if it were the answer. The second
# phase of the plan says that it waits for the first.
mkdir -p src plans/260301-0900-refunds
printf 'class Client:\n    scopes = ["charge:write"]\n\n    def get(self, path): ...\n' > src/client.py
cat > plans/260301-0900-refunds/plan.md << 'END'
# Refunds

## Service
<!-- CHECKPOINT: service -->
- [ ] Model of a refund in src/refund.py <!-- TASK: refund-model -->
- [ ] Call the refund endpoint from src/client.py <!-- TASK: refund-call -->

## Pages
<!-- CHECKPOINT: pages -->
Depends on phase service: nothing here may start before it is finished.
- [ ] Refund button on the order page <!-- TASK: refund-button -->
- [ ] Mail to the customer <!-- TASK: refund-mail -->
END
git add src plans && git commit --quiet -m "Plan refunds"
ckpt plan sync > /dev/null

begins s1
prompt s1 'Work on the refunds plan.'
writes s1 src/refund.py <<< 'class Refund: ...'
runs s1 "git add src && git commit --quiet -m 'Model refunds' && ckpt plan done refund-model"
runs s1 "ckpt plan decide 'Refunds are always full' --reason 'partial refunds come with PRD-090'"
spawns s1 caller 'Do task refund-call: post to the refund endpoint from src/client.py.'
reports s1 caller '{"task_id": "refund-call", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "The endpoint answers 403 and nothing is written.", "issues": ["Our token has no scope refund:write, security has to grant it"]}'
says s1 'refund-call is stopped until security grants the scope. Nothing else is in my reach.'
ends s1

git clone --quiet . ../bo
(
    cd ../bo
    printf 'class Client:\n    scopes = ["charge:write", "refund:read"]\n\n    def get(self, path): ...\n' > src/client.py
    by Bo git commit --quiet --all -m "Ask for a refund scope in the client"
)
git pull --quiet ../bo main
