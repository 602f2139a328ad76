# A session is killed while it rewrites its plan, which is now empty. Git has the plan, but without what was ticked since.
put plans/260310-1015-contact-import/plan.md <<'END'
# Contact import

<!-- CHECKPOINT: import -->
- [ ] Read vCards <!-- TASK: vcard -->
- [ ] Read spreadsheets <!-- TASK: spreadsheet -->
- [ ] Merge contacts that are the same person <!-- TASK: dedupe -->
- [ ] Undo an import <!-- TASK: undo-import -->
END
put contacts/read.py <<< "def read(path): raise NotImplementedError"
git add . && git commit --quiet -m "Plan the contact import"
ckpt plan sync

begins crm
prompt crm "Do the contact import. Commit when it is complete, not before."
runs crm "ckpt plan claim vcard"
writes crm contacts/vcard.py <<< "def read_vcard(text): return [card(c) for c in text.split('BEGIN:VCARD')[1:]]"
runs crm "ckpt plan done vcard"
runs crm "ckpt plan decide 'Two contacts are the same if an e-mail address is' --reason 'names repeat too often'"
writes crm contacts/spreadsheet.py <<< "def read_rows(path): return [row for row in open_workbook(path)]"
runs crm "ckpt plan done spreadsheet"
runs crm "ckpt plan claim dedupe"
writes crm contacts/dedupe.py <<'END'
def same(a, b): return bool(set(a.emails) & set(b.emails))
def merge(a, b): raise NotImplementedError
END
says crm "same() works. merge() must keep both phone numbers. I will first split dedupe into two tasks in the plan."
: > plans/260310-1015-contact-import/plan.md
dies crm
