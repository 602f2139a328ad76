# A session is killed with uncommitted work. Then a colleague's commit is pulled that renames what this work calls.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
put plans/260313-0950-webhooks/plan.md <<'END'
# Webhooks

<!-- CHECKPOINT: webhooks -->
- [ ] Store the addresses of subscribers <!-- TASK: subscribers -->
- [ ] Show deliveries to the owner <!-- TASK: delivery-page -->
- [ ] Repeat deliveries that failed <!-- TASK: redeliver -->
END
put hooks/sign.py <<< "def sign_payload(secret, body): return hmac(secret, body)"
put hooks/deliver.py <<< "def deliver(hook, body): post(hook.url, body)"
git add . && git commit --quiet -m "Plan the webhooks"
git push --quiet -u origin main
ckpt plan sync

begins wh
runs wh "echo 'CREATE TABLE hooks ();' > hooks/0012.sql && ckpt plan done subscribers && git add . && git commit -qm 'Store subscribers' && git push -q"
runs wh "ckpt plan claim redeliver"
runs wh "ckpt plan note 'redeliver: sign again for every attempt with sign_payload from hooks/sign.py, the time is part of the signature'"
writes wh hooks/deliver.py <<'END'
def deliver(hook, body):
    for delay in (0, 60, 3600):
        if post(hook.url, body, sign_payload(hook.secret, body)).ok: return True
        wait(delay)
END
says wh "Three attempts work. What is missing: after the last one the hook must be switched off and its owner told."
dies wh

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    put hooks/sign.py <<< "def signature(hook, body, at): return hmac(vault(hook.secret_id), body, at)"
    by Grace git commit --quiet -am "Sign with secrets from the vault"
    git push --quiet
)
git pull --quiet
