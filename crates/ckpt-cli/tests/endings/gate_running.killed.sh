# A gate that is running is told until its process is killed.
ckpt start implement pay --phases build,test
ckpt gate run implement/pay tests -- sleep 600 &
runner=$!
echo "$runner" >> "$LIFE/processes"
for _ in $(seq 100); do hazards | grep -q gate_running && break; sleep 0.1; done
expect gate_running
kill $runner
wait $runner || true
gone gate_running
expect gate_failed
