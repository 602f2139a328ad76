# A gate that is running is told until it ends.
mkfifo "$LIFE/wait"
ckpt start implement pay --phases build,test
ckpt gate run implement/pay tests -- cat "$LIFE/wait" &
runner=$!
echo "$runner" >> "$LIFE/processes"
for _ in $(seq 100); do hazards | grep -q gate_running && break; sleep 0.1; done
expect gate_running
ckpt phase implement/pay build complete
expect gate_running
echo over > "$LIFE/wait"
wait $runner
gone gate_running
gone gate_failed
