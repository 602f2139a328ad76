# An empty plan.md is told until it has its content again, from wherever that comes.
put plans/260301-0900-login/plan.md <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync

: > plans/260301-0900-login/plan.md
expect plan_unusable
git commit --quiet --all -m "Save"
expect plan_unusable
git checkout --quiet HEAD~ -- plans
gone plan_unusable
