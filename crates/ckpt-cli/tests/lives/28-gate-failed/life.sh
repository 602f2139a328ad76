# A gate was run and failed. Its last lines say what is wrong, and the workstream itself counts as done.
mkdir -p docs src tests
cat > docs/EXECUTION-SPEC-PRD-021.md << 'END'
---
prd: PRD-021
prd_title: Seat booking
workstreams:
  WS1: { name: Seat map, gate: seat-tests }
  WS2: { name: Checkout, depends_on: [WS1] }
  WS3: { name: Waiting list, depends_on: [WS2] }
gates:
  seat-tests: { command: "sh tests/seats.sh" }
---
END
printf 'def hold(seat, held):\n    held.append(seat)\n' > src/seats.py
cat > tests/seats.sh << 'END'
for row in $(seq 1 11); do echo "row $row: ok"; done
grep -q 'if seat in held' src/seats.py && { echo "row 12: ok"; exit 0; }
echo "row 12: FAILED: seat 12A was held twice, hold() must refuse the second time"
echo "1 failed, 11 passed"
exit 1
END
git add docs src tests && git commit --quiet -m "Model the seat map"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-021.md > /dev/null

begins s1
prompt s1 'Build PRD-021.'
runs s1 "ckpt pipeline start PRD-021 WS1"
runs s1 "ckpt pipeline note PRD-021 --key-fix 'src/seats.py: rows are numbered from 1, as on the doors'"
runs s1 "ckpt pipeline done PRD-021 WS1 --artifact src/seats.py"
runs s1 "ckpt pipeline gate run PRD-021 seat-tests --for WS1"
says s1 'Seat map is done. Checkout is next.'
ends s1
