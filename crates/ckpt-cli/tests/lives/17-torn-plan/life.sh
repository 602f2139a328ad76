# A sub-agent was rewriting the plan when everything was killed: the file stops in the middle of a line, tasks are missing.
plan=plans/260320-0925-sharding/plan.md
put $plan <<'END'
# Sharding

## Prepare
<!-- CHECKPOINT: prepare -->
- [ ] Choose the shard key <!-- TASK: shard-key -->
- [ ] Route reads by the key <!-- TASK: route-reads -->

## Move
<!-- CHECKPOINT: move -->
- [ ] Write the map of the shards <!-- TASK: shard-map -->
- [ ] Stop the nightly vacuum during the move <!-- TASK: stop-vacuum -->
- [ ] Move the first shard <!-- TASK: move-first -->
END
git add . && git commit --quiet -m "Plan the sharding"
ckpt plan sync

begins db
prompt db "Do the preparation and the map. Move nothing before I say so."
runs db "ckpt plan done shard-key && git commit -qam 'Choose the shard key'"
runs db "ckpt plan note 'move-first: only when the user says so'"
writes db db/map.json <<< '{"shards": 8}'
runs db "ckpt plan done shard-map"
runs db "ckpt plan done stop-vacuum"
spawns db reads "Do the task route-reads of plans/260320-0925-sharding in db/router.py, and split it in the plan if it is too large."
sub_writes db reads db/router.py <<< "def shard(key): return hash(key) % 8"
sub_says db reads "hash() differs from process to process, so this sends reads astray. It needs crc32. Splitting the task in the plan first."
says db "Waiting for the sub-agent on route-reads."
head -c 250 $plan > $plan.new && mv $plan.new $plan
dies db
