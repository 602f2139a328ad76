# A gate whose process was killed is told as failed until it has run to its end.
ckpt start implement pay --phases build,test
ckpt gate run implement/pay tests -- sleep 600 &
runner=$!
echo "$runner" >> "$LIFE/processes"
for _ in $(seq 100); do hazards | grep -q gate_running && break; sleep 0.1; done
kill -9 $runner
wait $runner || true
expect gate_failed
ckpt phase implement/pay build complete
expect gate_failed
ckpt gate run implement/pay tests -- true
gone gate_failed
