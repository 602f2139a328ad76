cat > notes.md <<'END'
# Import contacts from CSV

## Upload
<!-- CHECKPOINT: upload -->
- [ ] Upload form with a size limit <!-- TASK: upload-form -->
- [ ] Reject files that are not UTF-8 <!-- TASK: reject-encoding -->

Both parts meet in the preview.

## Parse
<!-- CHECKPOINT: parse -->
- [ ] Parse rows, with quotes and both separators <!-- TASK: parse-rows -->

## Preview
<!-- CHECKPOINT: preview -->
- [ ] Show the first 20 rows before the import <!-- TASK: preview-table -->
- [ ] Report the rows that failed <!-- TASK: error-report -->
END
ckpt plan new 'Import contacts' --from notes.md > /dev/null
rm notes.md
git add . && git commit --quiet -m 'Plan the import'
git worktree add --quiet -b feature/csv-parser "$LIFE/csv-parser"
begins m1
prompt m1 'Do the upload part of the import plan here. The parser is built in the worktree csv-parser at the same time, merge it when it is ticked there.'
runs m1 'ckpt plan claim upload-form'
writes m1 src/upload/Form.tsx <<< 'export const limit = 5_000_000;'
runs m1 'ckpt plan done upload-form && git add . && git commit --quiet -m "Add the upload form"'
cd "$LIFE/csv-parser"
begins w1
prompt w1 'Build the parser of the import plan (parse-rows) on this branch. Commit when it is done, the main worktree merges it.'
runs w1 'ckpt plan claim parse-rows'
cd "$LIFE/repository"
writes m1 src/upload/encoding.ts <<< 'export const isUtf8 = (b) => decode(b) !== null;'
runs m1 'ckpt plan done reject-encoding && git add . && git commit --quiet -m "Reject files that are not UTF-8"'
runs m1 "ckpt plan note 'preview-table calls parseRows() of feature/csv-parser: merge that branch first, do not write a second parser'"
says m1 'The upload part is finished. The parser is still being built in the other worktree, so I stop here.'
ends m1
cd "$LIFE/csv-parser"
writes w1 src/import/parse.ts <<< 'export function parseRows(text, separator) { return rows(text, separator); }'
runs w1 "ckpt plan done parse-rows && git add . && git commit --quiet -m 'Parse rows with quotes and both separators'"
says w1 'parse-rows is done and committed on feature/csv-parser.'
ends w1
cd "$LIFE/repository"
