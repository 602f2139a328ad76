# After a session has ended with everything committed, an editor saves an old copy of a source file, and a new document.
# Both look like unfinished work.
put plans/260407-1330-upload-quota/plan.md <<'END'
# Upload quota

<!-- CHECKPOINT: quota -->
- [ ] Count the bytes of an upload <!-- TASK: count-bytes -->
- [ ] Refuse what is over the quota <!-- TASK: refuse -->
- [ ] Say how much room is left <!-- TASK: room-left -->
- [ ] Warn at 90 percent <!-- TASK: warn -->
END
put src/quota.py <<'END'
LIMIT = 5_000_000


def used(user):
    return sum(len(upload.text) for upload in user.uploads)
END
git add . && git commit --quiet -m "Plan the upload quota"
cp src/quota.py "$LIFE/buffer"
ckpt plan sync

begins s1
prompt s1 "Do the upload quota. A customer stored 20 MB of emoji, because we count characters."
writes s1 src/quota.py <<'END'
LIMIT = 5_000_000


def used(user):
    return sum(len(upload.text.encode()) for upload in user.uploads)


def refuse(user, upload):
    return used(user) + len(upload.text.encode()) > LIMIT
END
runs s1 "ckpt plan done count-bytes refuse && git add . && git commit -qm 'Count bytes and refuse what is over the quota'"
runs s1 "ckpt plan note 'room-left: LIMIT - used(user) in src/quota.py, in whole kilobytes, rounded down'"
runs s1 "ckpt plan decide 'count-bytes: only encoded bytes, never len of the text' --reason 'emoji'"
runs s1 "git add . && git commit -qm 'Note what is next'"
says s1 "Counting and refusing are committed. Next is how much room is left."
ends s1

cat "$LIFE/buffer" > src/quota.py
put docs/quota.md <<< "Every account may store 5 MB. Ask Ada for more."
