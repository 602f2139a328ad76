# A session that died in a phase is told until that phase is recorded again, not when another checkpoint changes.
ckpt start implement login --phases research,build,test
begins one
runs one "ckpt phase implement/login research complete"
runs one "ckpt phase implement/login build in_progress --task T002"
dies one
expect session_died
ckpt start review api
ckpt phase review/api analysis in_progress
ckpt abandon review/api --reason 'later'
expect session_died
ckpt phase implement/login build in_progress --task T002
gone session_died
