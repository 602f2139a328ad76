# A pulled specification has a new workstream in the middle, and those after it are renumbered. The one that is in progress
# here now has the name of something else.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-152.md << 'END'
---
prd: PRD-152
prd_title: Import of patients
workstreams:
  WS1: { name: Upload form }
  WS2: { name: Parse the file, depends_on: [WS1] }
  WS3: { name: Store the patients, depends_on: [WS2] }
  WS4: { name: Report about the import, depends_on: [WS3] }
---
END
git add docs && git commit --quiet -m "Specify the import"
git push --quiet -u origin main
ckpt pipeline init docs/EXECUTION-SPEC-PRD-152.md > /dev/null

begins s1
prompt s1 'Build PRD-152.'
runs s1 "ckpt pipeline start PRD-152 WS1 && echo '<input type=file>' > src/form.html && ckpt pipeline done PRD-152 WS1 --artifact src/form.html"
runs s1 "ckpt pipeline start PRD-152 WS2 && echo 'export const parse = (t) => t.split(\";\");' > src/parse.js && ckpt pipeline done PRD-152 WS2 --artifact src/parse.js"
runs s1 "ckpt pipeline start PRD-152 WS3"
writes s1 src/store.js <<< 'export const store = (p) => db.insert("patients", p); // duplicates are not found yet'
runs s1 "ckpt pipeline note PRD-152 --key-fix 'src/store.js: a patient is known by the insurance number, never by the name'"
runs s1 "git add . && git commit --quiet -m 'Store patients' && git push --quiet"
says s1 'Storing works and is pushed. For WS3 only the duplicates are missing, a matter of minutes; then it is done.'
ends s1

git clone --quiet "$LIFE/origin.git" "$LIFE/ines"
(
    cd "$LIFE/ines"
    cat > docs/EXECUTION-SPEC-PRD-152.md << 'END'
---
prd: PRD-152
prd_title: Import of patients
workstreams:
  WS1: { name: Upload form }
  WS2: { name: Parse the file, depends_on: [WS1] }
  WS3: { name: Ask for the consent, depends_on: [WS2] }
  WS4: { name: Store the patients, depends_on: [WS3] }
  WS5: { name: Report about the import, depends_on: [WS4] }
---
END
    by Ines git commit --quiet -am "No patient is stored without consent"
    git push --quiet
)
git pull --quiet
