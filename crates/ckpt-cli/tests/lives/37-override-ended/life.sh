# A blocked gate was overridden. A sub-agent's question came after that, and a file has changed: the override is void, but
# it must stay visible.
mkdir -p src docs
echo 'LIMIT = 100' > src/limit.py
git add src && git commit --quiet -m "Add a limit"
ckpt start ship hotfix > /dev/null
begins s1
prompt s1 'Ship the hotfix for the limit today.'
runs s1 "ckpt phase ship/hotfix pre-flight complete --modified src/limit.py --summary 'Two tests of the old limit fail, as they must.'"
ckpt gate set ship/hotfix --block 'two tests of the old limit fail'
ckpt gate override ship/hotfix --reason 'hotfix, agreed with Ana on the phone'
runs s1 "ckpt phase ship/hotfix commit complete --summary 'The commit with the limit is ready.'"
cat > ../answer.md << 'END'
I have one question before this goes out.

{"task_id": "T9", "phase": "validate", "status": "partial", "decision": "CLARIFY", "findings": {"checks": {}, "overall_passed": false, "blocking_issues": [], "warnings": []}, "context_summary": "The limit counts requests. The contract counts users.", "issues": ["is the limit of 100 for each user or for each request?"]}
END
runs s1 "ckpt handoff reply ship/hotfix ../answer.md --phase push"
writes s1 src/limit.py <<< 'LIMIT = 100  # for each user'
says s1 'I noted my guess about the limit in src/limit.py. Ana has approved the hotfix, so push is next.'
ends s1
