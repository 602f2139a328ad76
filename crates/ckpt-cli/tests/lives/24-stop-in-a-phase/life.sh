# Two sub-agents answer STOP by their hooks in one phase. One of them later says PROCEED for its task; the other question
# is still open when the session, which was compacted in between, ends as it should.
ckpt start implement payments --phases research,build,test > /dev/null
begins s1
prompt s1 'Build card payments as in docs/payments.md.'
runs s1 "ckpt phase implement/payments research complete --summary 'The provider is Finpay. Amounts are minor units everywhere.'"
runs s1 "ckpt phase implement/payments build in_progress --task T003"
spawns s1 a1 'Task T003: charge a card through the Finpay client.'
reports s1 a1 '{"task_id": "T003", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "The client needs credentials.", "issues": ["FINPAY_KEY is not set in the sandbox"]}'
prompt s1 'The key is there now, go on.'
spawns s1 a2 'Task T003 again: the key is in the environment now.'
sub_writes s1 a2 src/charge.py <<< 'def charge(card_token, amount_minor): ...'
reports s1 a2 '{"task_id": "T003", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {"files_created": [{"path": "src/charge.py", "purpose": "charge a card"}]}, "context_summary": "charge in src/charge.py works against the sandbox.", "issues": []}'
runs s1 "git add src && git commit --quiet -m 'Charge cards'"
runs s1 "ckpt phase implement/payments build in_progress --task T004 --created src/charge.py"
spawns s1 a3 'Task T004: keep cards for repeated payments, as in docs/payments.md.'
reports s1 a3 'I stopped before writing anything.

{"task_id": "T004", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing is written. A token from Finpay would do, but the document asks for the number itself.", "issues": ["docs/payments.md asks to store full card numbers, which our PCI scope forbids"]}'
compacts s1
says s1 'Only the test phase is left after T004.'
ends s1
