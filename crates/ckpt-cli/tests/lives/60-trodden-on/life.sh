# One sub-agent overwrote what another had finished, and says so in its report. Then the session was compacted and killed.
put docs/EXECUTION-SPEC-PRD-090.md <<'END'
---
prd: PRD-090
prd_title: Ticket search
workstreams:
  WS1: { name: Ticket schema }
  WS2: { name: Search indexes, depends_on: [WS1], gate: indexes }
  WS3: { name: Tags, depends_on: [WS1] }
  WS4: { name: Search page, depends_on: [WS2, WS3] }
gates:
  indexes:
    command: "grep -q gin db/schema.sql"
---
END
put db/schema.sql <<< "CREATE TABLE ticket (id int, body text);"
git add . && git commit --quiet -m "Specify the ticket search"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-090.md > /dev/null

begins s1
prompt s1 "Build PRD-090. WS2 and WS3 can run side by side."
runs s1 "ckpt pipeline start PRD-090 WS1 && ckpt pipeline done PRD-090 WS1 --artifact db/schema.sql"
runs s1 "ckpt pipeline start PRD-090 WS2 WS3"
spawns s1 a2 "WS2: add the indexes for the search to db/schema.sql."
spawns s1 a3 "WS3: tags for tickets. db/schema.sql belongs to WS2, tags get a file of their own, db/tags.sql."
sub_writes s1 a2 db/schema.sql <<'END'
CREATE TABLE ticket (id int, body text);
CREATE INDEX ticket_body ON ticket USING gin (to_tsvector('simple', body));
CREATE INDEX ticket_id ON ticket (id);
END
reports s1 a2 "The two indexes are in db/schema.sql. 'simple' is on purpose: tickets come in nine languages."
runs s1 "git commit -qam 'Add the indexes for the search'"
runs s1 "ckpt pipeline done PRD-090 WS2 --artifact db/schema.sql"
runs s1 "ckpt pipeline gate run PRD-090 indexes --for WS2"
sub_writes s1 a3 db/schema.sql <<'END'
CREATE TABLE ticket (id int, body text, tags text[]);
END
reports s1 a3 "Tags are done, as a column of ticket. I generated db/schema.sql anew from the model for that, so the indexes that were in it are gone; somebody has to put them back."
runs s1 "git commit -qam 'Add tags to tickets'"
compacts s1
says s1 "Both sub-agents are finished. Next I record WS3 as done and start the search page."
dies s1
