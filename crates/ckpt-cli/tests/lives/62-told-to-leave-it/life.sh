# Three commands on one branch. The user took the session away from the one that was saved last, and the summary of the
# right one has been overtaken by a sub-agent.
put src/export.kt <<< "fun export() = TODO()"
put logs/incident-88.txt <<< "02:14 pool exhausted"
git add . && git commit --quiet -m "Start the billing export"
ckpt start research tracing --phases question,findings > /dev/null
ckpt phase research/tracing question complete --summary 'Is OpenTelemetry worth it? Nobody is waiting for the answer.'
begins s1
prompt s1 "Build the billing export."
runs s1 "ckpt start implement billing-export --phases build,test"
runs s1 "ckpt phase implement/billing-export build in_progress --task T001"
writes s1 src/export.kt <<< "fun export(month: Month) = rows(month).joinToString(\"\\n\")"
prompt s1 "Stop the export: accounting changes the columns on Friday and sends a new list. Incident 88 first, I need the cause and a proposal for the meeting today."
runs s1 "ckpt start review incident-88 --phases timeline,cause,proposal"
runs s1 "ckpt phase review/incident-88 timeline complete --summary '02:14 the pool is exhausted, 02:31 restart, 02:33 all is well.'"
runs s1 "ckpt phase review/incident-88 cause in_progress --summary 'Suspect: the nightly report holds 40 connections. Proposal would be a bigger pool.'"
spawns s1 a1 "Read logs/incident-88.txt and the code of the nightly report. Did it hold the connections?"
reports s1 a1 "It was not the nightly report: that ran at 04:00. The connections were leaked by the retry in the payment client, which opens a new one at each try and closes none. A bigger pool would only delay it."
says s1 "So the cause is the leak in the payment client, not the report. Before I write that down I put the export to rest."
runs s1 "git commit -qam 'Export rows, columns not final'"
runs s1 "ckpt phase implement/billing-export build in_progress --summary 'rows(month) works with the old columns. Next: the header line and the test.'"
dies s1
