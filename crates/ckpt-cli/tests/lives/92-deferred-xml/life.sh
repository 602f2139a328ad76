mkdir -p docs src/pdf
cat > docs/EXECUTION-SPEC-PRD-021.md <<'END'
---
prd: PRD-021
prd_title: Invoices as PDF and XML
workstreams:
  WS1: { name: Invoice template, outputs: [src/pdf/template.ts], gate: template-test }
  WS2: { name: XRechnung export, depends_on: [WS1], outputs: [src/xml/xrechnung.ts] }
  WS3: { name: PDF renderer, depends_on: [WS1], outputs: [src/pdf/render.ts], gate: render-test }
  WS4: { name: Ten year archive, depends_on: [WS2, WS3], outputs: [src/archive.ts] }
  WS5: { name: Invoice mail, depends_on: [WS3], outputs: [src/mail/invoice.ts] }
gates:
  template-test: { command: "test -s src/pdf/template.ts" }
  render-test: { command: "test -s src/pdf/render.ts" }
---
END
git add . && git commit --quiet -m 'Specify PRD-021'
begins s1
prompt s1 'Build PRD-021. Show me the template before you go on to the rest.'
runs s1 'ckpt pipeline init docs/EXECUTION-SPEC-PRD-021.md && ckpt pipeline start PRD-021 WS1'
writes s1 src/pdf/template.ts <<< 'export const widths = { label: 220, amount: 90 }; // points'
runs s1 'git add . && git commit --quiet -m "Add the invoice template"'
runs s1 'ckpt pipeline done PRD-021 WS1 --artifact src/pdf/template.ts'
runs s1 'ckpt pipeline gate run PRD-021 template-test --for WS1'
runs s1 "ckpt pipeline note PRD-021 --key-fix 'src/pdf/template.ts: widths are in points, not pixels'"
says s1 'The template is ready and its gate has passed. Please have a look at it.'
compacts s1
prompt s1 'The template is fine, go on. Procurement says that the validator licence for XRechnung takes until March, so put that aside. And render with pdf-lib, the worker image has no Chromium.'
runs s1 'ckpt pipeline approve PRD-021'
runs s1 "ckpt pipeline defer PRD-021 WS2 --reason 'validator licence, not before March'"
says s1 'Approved and recorded, WS2 is deferred. The PDF renderer comes next, with pdf-lib as you said.'
ends s1
