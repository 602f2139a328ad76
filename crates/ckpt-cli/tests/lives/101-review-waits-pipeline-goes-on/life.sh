git switch --quiet -c feature/notifications
put docs/EXECUTION-SPEC-PRD-118.md << 'END'
---
prd: PRD-118
prd_title: Order notifications
workstreams:
  WS1: { name: Event schema, outputs: [src/events/order.ts], gate: schema }
  WS2: { name: Mail templates, depends_on: [WS1], outputs: [src/mail/templates.ts] }
  WS3: { name: Delivery worker, depends_on: [WS1], outputs: [src/worker/deliver.ts], gate: unit }
  WS4: { name: Preference page, depends_on: [WS2, WS3], outputs: [web/preferences.tsx] }
gates:
  schema: { command: "grep -q version src/events/order.ts" }
  unit: { command: "test -f src/worker/deliver.test.ts" }
---
END
git add docs && git commit --quiet -m 'Add the specification of PRD-118'
ckpt pipeline init docs/EXECUTION-SPEC-PRD-118.md
begins mon
prompt mon 'Build PRD-118. Start with the event schema.'
runs mon 'ckpt pipeline start PRD-118 WS1'
writes mon src/events/order.ts <<< 'export interface OrderEvent { version: 1; order: string; status: string }'
runs mon 'git add src && git commit -m "Add the order event"'
runs mon 'ckpt pipeline done PRD-118 WS1 --artifact src/events/order.ts'
runs mon 'ckpt pipeline gate run PRD-118 schema --for WS1'
prompt mon 'The schema is right, approved. Go on tomorrow.'
runs mon 'ckpt pipeline approve PRD-118'
ends mon
begins tue
prompt tue 'Go on with PRD-118: templates and worker in parallel.'
runs tue 'ckpt pipeline start PRD-118 WS2 WS3'
spawns tue templates 'WS2 of PRD-118: write the mail templates in src/mail/templates.ts.'
sub_writes tue templates src/mail/templates.ts <<< 'export const shipped = (order: string) => `Your order ${order} has left us.`'
reports tue templates 'Done. {"task_id": "WS2", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {"files_created": [{"path": "src/mail/templates.ts", "purpose": "texts"}]}, "context_summary": "Four templates, plain text only; HTML was not asked for."}'
runs tue 'ckpt pipeline done PRD-118 WS2 --artifact src/mail/templates.ts'
writes tue src/worker/deliver.ts <<< 'export async function deliver(event: OrderEvent, attempt = 1) { /* sends, retries up to five times */ }'
runs tue 'git add src && git commit -m "Add templates and the first half of the delivery worker"'
compacts tue
prompt tue 'Ops have named the dead letter queue: orders-dlq. Put that into the worker next time, stop for today.'
runs tue 'ckpt pipeline note PRD-118 --key-fix "src/worker/deliver.ts: retries five times; after the fifth the event must go to the queue orders-dlq, still missing, and so is deliver.test.ts"'
ends tue
begins wed
prompt wed 'Before PRD-118: review the branch cleo/rate-limit for Cleo.'
runs wed 'ckpt start review rate-limit'
runs wed 'ckpt phase review/rate-limit analysis complete --summary "The limiter itself is fine. Open: burst size 20 or 200? The text of the ticket and the code differ."'
runs wed 'ckpt phase review/rate-limit feedback in_progress'
runs wed 'ckpt gate set review/rate-limit --block "Cleo has to say whether the burst size is 20 or 200"'
prompt wed 'Cleo is away until Friday. Leave the review until she has answered, and go on with PRD-118 in the next session.'
says wed 'The review waits for Cleo. The next session goes on with the delivery worker of PRD-118.'
ends wed
