cat > notes.md <<'END'
# Move uploads to object storage

## Move
<!-- CHECKPOINT: move -->
- [ ] Storage adapter behind src/storage.ts <!-- TASK: adapter -->
- [ ] Signed download links <!-- TASK: signed-links -->
- [ ] Script that copies the old uploads <!-- TASK: copy-script -->
- [ ] Delete the old uploads from the disk <!-- TASK: delete-old -->
- [ ] Describe the new buckets in docs/storage.md <!-- TASK: storage-docs -->
END
ckpt plan new 'Uploads to object storage' --from notes.md > /dev/null
rm notes.md
git add . && git commit --quiet -m 'Plan the move'
begins s1
prompt s1 'Work on the plan for the uploads. Start with the adapter.'
writes s1 src/storage.ts <<< 'export interface Storage { put(key: string, body: Stream): Promise<void> }'
runs s1 'ckpt plan done adapter && git add . && git commit --quiet -m "Add the storage adapter"'
runs s1 "ckpt plan decide 'Object keys are the SHA-256 of the content' --reason 'duplicates are stored once'"
prompt s1 'Give signed-links and copy-script to two sub-agents. Wait with delete-old until I have confirmed the backup, that is the only copy we have. storage-docs comes last.'
spawns s1 links 'Task signed-links of the plan: download links that are valid for a limited time. Answer with a handoff.'
spawns s1 copier 'Task copy-script of the plan: write scripts/copy-uploads.ts. Only write and test it on fixtures, ops runs it on production.'
sub_writes s1 copier scripts/copy-uploads.ts <<< 'for await (const file of walk("uploads")) await storage.put(sha256(file), file);'
reports s1 links 'I need an answer first. {"task_id": "signed-links", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing was written.", "issues": ["How long may a signed link be valid? Support mails links that customers open days later"]}'
sub_says s1 copier 'Copying works for the fixtures. Still missing: it must go on where it stopped when it is started again; I am adding a journal file for that.'
says s1 'The sub-agent for signed-links stopped with a question about the lifetime of links. The copy script is nearly done.'
dies s1
