# Half of the work is in a stash, and an experiment that is to be thrown away was stashed on top of it.
put src/importer.py <<< "def read(path): return open(path).read()"
put src/mailer.py <<< "def send(to, text): ..."
git add . && git commit --quiet -m "Start the importer"
git switch --quiet -c feature/import
begins s1
prompt s1 "Import bank statements, MT940 first."
runs s1 "ckpt start implement import --phases research,build,test"
runs s1 "ckpt phase implement/import research complete --summary 'MT940 only. Bookings are in field 61, texts in field 86. Files are latin-1, not UTF-8.'"
runs s1 "ckpt phase implement/import build in_progress --task T004"
writes s1 src/importer.py <<'END'
def read(path): return open(path, encoding="latin-1").read()
def field_61(line): return {"date": line[0:6], "sign": line[10:11]}
END
prompt s1 "Mails go out twice in production. Drop everything and fix that on main first."
runs s1 "git stash push -qm 'import: field 61 parses, field 86 is missing'"
runs s1 "ckpt phase implement/import build in_progress --summary 'Field 61 parses; the code is stashed on feature/import as \"import: field 61 parses\", to be popped after the hotfix. Field 86 is next.'"
runs s1 "git switch -q main"
runs s1 "ckpt start hotfix double-mails --phases reproduce,fix,verify"
runs s1 "ckpt phase hotfix/double-mails reproduce complete --summary 'The retry sends again although the first try succeeded.'"
writes s1 src/mailer.py <<< "def send(to, text): lock(to); deliver(to, text)  # a global lock"
says s1 "A global lock makes it slow, that is a dead end. I put it aside and use a message id instead."
runs s1 "git stash push -qm 'experiment: global lock, too slow'"
writes s1 src/mailer.py <<< "def send(to, text, message_id): deliver_once(message_id, to, text)"
runs s1 "git commit -qam 'Send each mail once, by its message id'"
runs s1 "ckpt phase hotfix/double-mails fix complete --summary 'Mails have a message id. The global lock was a dead end.' --modified src/mailer.py"
runs s1 "ckpt phase hotfix/double-mails verify complete --summary 'One mail in staging. The fix is on main.' && ckpt complete hotfix/double-mails"
runs s1 "git switch -q feature/import"
says s1 "The hotfix is on main. Back to the importer: pop the stash and write field 86."
dies s1
