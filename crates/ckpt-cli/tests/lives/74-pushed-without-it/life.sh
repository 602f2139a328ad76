# A session says that everything is committed and pushed, its test gate passed. The migration is ignored by git.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
printf '*.pyc\n*tmp*\n' > .gitignore
put scripts/deploy.sh <<< 'ssh web "git -C /srv/app pull && /srv/app/migrate && systemctl restart app"'
put migrations/0030_users.sql <<< 'create table users (id bigint);'
git add . && git commit --quiet -m "Add users"
git push --quiet -u origin main
ckpt start implement sign-in-links --phases research,build,test,deploy > /dev/null

begins s1
prompt s1 'Let people sign in with a link in a mail. Deploy it when it works.'
runs s1 "ckpt phase implement/sign-in-links research complete --summary 'A link holds a random token, valid for 15 minutes. Tokens are kept as hashes in a table of their own.'"
runs s1 "ckpt phase implement/sign-in-links build in_progress --task T001"
writes s1 migrations/0031_tmp_tokens.sql <<< 'create table tmp_tokens (hash bytea primary key, user_id bigint, until timestamptz);'
writes s1 src/links.py << 'END'
def sign_in(token):
    return db.one("delete from tmp_tokens where hash = %s and until > now() returning user_id", sha256(token))
END
writes s1 tests/links.sh << 'END'
test -s src/links.py && grep -q tmp_tokens migrations/*.sql
END
runs s1 "git add migrations src tests && git commit --quiet -m 'Sign in with a link' && git push --quiet"
runs s1 "ckpt phase implement/sign-in-links build complete --created src/links.py --created tests/links.sh --created migrations/0031_tmp_tokens.sql --summary 'sign_in in src/links.py uses the table of migrations/0031_tmp_tokens.sql; without that table nobody can sign in, not even with a password.'"
runs s1 "ckpt gate run implement/sign-in-links links -- sh tests/links.sh"
runs s1 "ckpt phase implement/sign-in-links test complete --summary 'The gate links passed on what is committed.'"
runs s1 "ckpt phase implement/sign-in-links deploy in_progress --summary 'Code, tests and migration are committed and pushed. What is left is sh scripts/deploy.sh, which takes main from origin.'"
says s1 'Everything is committed and pushed, the work tree is clean. The deployment window opens at six, so I leave scripts/deploy.sh to the next session.'
ends s1
