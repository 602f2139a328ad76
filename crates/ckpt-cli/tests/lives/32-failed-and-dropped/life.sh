# A workstream failed and interrupted another. Since then somebody has dropped the failed one from the specification.
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-061.md << 'END'
---
prd: PRD-061
prd_title: Contract export
workstreams:
  WS1: { name: Contract model }
  WS2: { name: Word export, depends_on: [WS1] }
  WS3: { name: PDF export, depends_on: [WS1] }
  WS4: { name: Download page, depends_on: [WS2, WS3] }
---
END
echo 'export type Contract = { parties: string[] };' > src/contract.ts
git add docs src && git commit --quiet -m "Specify the contract export"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-061.md > /dev/null

begins s1
prompt s1 'Build PRD-061.'
runs s1 "ckpt pipeline start PRD-061 WS1 && ckpt pipeline done PRD-061 WS1 --artifact src/contract.ts"
runs s1 "ckpt pipeline start PRD-061 WS2 WS3"
writes s1 src/word.ts <<< 'export function toWord() { /* headings only */ }'
writes s1 src/pdf.ts <<< 'export function toPdf() { throw new Error("kerning"); }'
runs s1 "git add src && git commit --quiet -m 'Begin both exports'"
runs s1 "ckpt pipeline fail PRD-061 WS3 --message 'pdfkit has no kerning table for Noto Sans' --file src/pdf.ts --line 88"
says s1 'WS3 failed. Embedding our own kerning table in src/pdf.ts should fix it, I would try that next.'
ends s1

git clone --quiet . ../bo
(
    cd ../bo
    sed -i -e '/WS3:/d' -e 's/\[WS2, WS3\]/[WS2]/' docs/EXECUTION-SPEC-PRD-061.md
    by Bo git commit --quiet --all -m "Drop the PDF export, legal only takes Word"
)
git pull --quiet ../bo main
