# Two workstreams run in sub-agents. One answers STOP by its hook, the other is cut off when the session is killed.
mkdir -p docs tests
cat > docs/EXECUTION-SPEC-PRD-012.md << 'END'
---
prd: PRD-012
prd_title: Ticket search
workstreams:
  WS1: { name: Search index, gate: schema }
  WS2: { name: Query parser, depends_on: [WS1] }
  WS3: { name: Result pages, depends_on: [WS1] }
  WS4: { name: Release notes, depends_on: [WS2, WS3] }
gates:
  schema: { command: "test -s db/index.sql" }
---
END
mkdir -p db && echo 'create index tickets_text on tickets (body);' > db/index.sql
git add docs db && git commit --quiet -m "Specify ticket search"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-012.md > /dev/null
ckpt pipeline start PRD-012 WS1
ckpt pipeline done PRD-012 WS1 --artifact db/index.sql
ckpt pipeline gate run PRD-012 schema --for WS1 > /dev/null
ckpt pipeline approve PRD-012

begins s1
prompt s1 'Go on with PRD-012, both open workstreams at once.'
runs s1 "ckpt pipeline start PRD-012 WS2 WS3"
spawns s1 parser 'WS2 of PRD-012: write the query parser in src/query.ts.'
spawns s1 pages 'WS3 of PRD-012: write the result pages in src/pages/results.ts.'
reports s1 parser '{"task_id": "WS2", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing written. Both meanings are in the tickets of PRD-012.", "issues": ["Does a quoted phrase match across line breaks? Support and sales want opposite things"]}'
sub_writes s1 pages src/pages/results.ts << 'END'
export const PAGE_SIZE = 25;
export function resultPage(hits: string[], page: number) {
  return hits.slice(page * PAGE_SIZE);
}
END
sub_says s1 pages 'resultPage returns everything after the first hit of the page. I have yet to cut it at PAGE_SIZE.'
says s1 'WS2 waits for an answer by Priya about phrases, I have asked her. WS3 does not need it, so I see WS3 through first.'
dies s1
