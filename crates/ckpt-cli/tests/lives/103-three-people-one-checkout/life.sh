printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put src/imports/match.py <<< 'def find_customer(row): return by_email(row) or by_vat(row)'
put plans/260303-1010-customer-import/plan.md << 'END'
# Customer import
## Backend
<!-- CHECKPOINT: backend -->
- [ ] Parse the spreadsheet <!-- TASK: parse-xlsx -->
- [ ] Merge duplicate rows <!-- TASK: dedupe -->
- [ ] Check addresses <!-- TASK: address-check -->
## Frontend
<!-- CHECKPOINT: frontend -->
- [ ] Upload page with a preview <!-- TASK: import-ui -->
## Release
<!-- CHECKPOINT: release -->
- [ ] Load test with 100,000 rows <!-- TASK: load-test -->
END
git add . && git commit --quiet -m 'Add the import plan'
git switch --quiet -c feature/customer-import
git clone --quiet --bare . "$LIFE/origin.git" && git remote add origin "$LIFE/origin.git" && git fetch --quiet origin
git branch --quiet --set-upstream-to=origin/feature/customer-import
begins ada-morning
prompt ada-morning 'Start with the customer import.'
writes ada-morning src/imports/parse.py <<< 'def rows(path): ...'
runs ada-morning 'ckpt plan done parse-xlsx && git add . && git commit -m "Parse the spreadsheet" && git push origin HEAD'
runs ada-morning 'ckpt plan decide "The newest row wins when duplicates disagree" --reason "Sales asked for it" --phase backend'
runs ada-morning 'ckpt start research address-providers'
runs ada-morning 'ckpt phase research/address-providers discovery complete --summary "Two candidates, Loqate and Melissa; Purchasing gets offers until Friday."'
runs ada-morning 'ckpt plan block "address-check waits for Purchasing: no provider chosen" --phase backend'
ends ada-morning
begins ben
prompt ben 'This is Ben. Take the upload page of the customer import, Ada does the backend.'
runs ben 'ckpt plan claim import-ui --by team:ben'
writes ben web/import.tsx <<< 'export const ImportPage = () => <Upload preview />'
begins ada-noon
prompt ada-noon 'Go on with dedupe. Ben works on import-ui in this checkout, leave his files alone.'
runs ada-noon 'ckpt plan claim dedupe'
runs ada-noon 'ckpt plan note "dedupe uses find_customer in src/imports/match.py to recognise a customer"'
writes ada-noon src/imports/dedupe.py <<< 'def merge(rows): return group(rows, key=lambda row: find_customer(row))'
git clone --quiet -b feature/customer-import "$LIFE/origin.git" "$LIFE/cleo"
(cd "$LIFE/cleo" && echo 'def match_customer(session, row): return session.by_email(row) or session.by_vat(row)' > src/imports/match.py \
    && by Cleo git commit --quiet -a -m 'Match customers within a session' && git push --quiet origin HEAD)
runs ada-noon 'git pull --ff-only'
says ada-noon 'dedupe.py groups the rows that have an e-mail address. What is missing are the rows without one, which go by VAT number.'
dies ada-noon
