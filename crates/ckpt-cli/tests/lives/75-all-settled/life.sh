# A killed session, a blocker, a STOP, a stash, an undone task: all of it was settled before the last session ended. Go on.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
put plans/260405-1010-notifications/plan.md <<'END'
# Notifications

## Store
<!-- CHECKPOINT: store -->
- [ ] Store a notification for each mention <!-- TASK: store-mention -->
- [ ] Forget notifications after 90 days <!-- TASK: forget-old -->

## Show
<!-- CHECKPOINT: show -->
- [ ] List notifications, newest first <!-- TASK: list-newest -->
- [ ] Show the number of unread ones <!-- TASK: unread-number -->
- [ ] Mark all as read <!-- TASK: mark-read -->
END
put app/mentions.py <<< "def mentions(text): return []"
git add . && git commit --quiet -m "Plan the notifications"
git push --quiet -u origin main
ckpt plan sync

begins first
prompt first "Work on the notifications."
runs first "ckpt plan claim store-mention"
writes first app/store.py <<< "def store(user, text): pass"
says first "store does not write anything yet."
dies first

begins second
prompt second "Your predecessor crashed. Go on with the notifications."
runs second "git stash push --quiet --include-untracked && git stash pop --quiet"
runs second "ckpt plan claim store-mention && echo 'def store(user, text): rows.append((user, text))' > app/store.py && ckpt plan done store-mention"
runs second "git add . && git commit -qm 'Store a notification for each mention'"
runs second "ckpt plan block 'forget-old: does legal want 90 days or 30?' --phase store"
spawns second sweep "Do the task forget-old of plans/260405-1010-notifications in app/sweep.py."
reports second sweep '{"task_id": "forget-old", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing written.", "issues": ["90 days or 30?"]}'
prompt second "Legal says 90 days is right."
runs second "ckpt plan unblock '90 days or 30' && ckpt plan decide 'forget-old: 90 days' --reason 'legal confirmed it'"
spawns second sweep2 "Do the task forget-old of plans/260405-1010-notifications in app/sweep.py, with 90 days."
sub_writes second sweep2 app/sweep.py <<< "KEEP_DAYS = 90"
reports second sweep2 '{"task_id": "forget-old", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "app/sweep.py deletes after 90 days."}'
runs second "ckpt plan done forget-old && git add . && git commit -qm 'Forget notifications after 90 days'"
runs second "echo 'def newest(): return rows' > app/list.py && ckpt plan done list-newest && git add . && git commit -qm 'List notifications'"
runs second "ckpt plan undo list-newest && echo 'def newest(): return rows[::-1]' > app/list.py && ckpt plan done list-newest && git commit -qam 'List the newest first'"
runs second "ckpt plan note 'unread-number: count in app/list.py, at most 99, beyond that show 99+'"
runs second "git add . && git commit -qm 'Note how to count'; git push -q"
says second "The list is finished and pushed. The number of unread ones is next."
ends second
