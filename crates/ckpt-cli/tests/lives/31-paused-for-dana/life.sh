# A pipeline is paused at a gate that passed. Two workstreams could start by their dependencies.
mkdir -p docs data
cat > docs/EXECUTION-SPEC-PRD-050.md << 'END'
---
prd: PRD-050
prd_title: New prices
workstreams:
  WS1: { name: Price table, gate: price-check }
  WS2: { name: Checkout prices, depends_on: [WS1] }
  WS3: { name: Price mails, depends_on: [WS1] }
gates:
  price-check:
    command: "grep -q basic data/prices.csv"
    success_criteria: Dana has seen the table
---
END
printf 'plan,price\nbasic,900\nteam,2900\n' > data/prices.csv
git add docs data && git commit --quiet -m "Draft the new prices"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-050.md > /dev/null

begins s1
prompt s1 'Start PRD-050. Dana decides about the prices.'
runs s1 "ckpt pipeline start PRD-050 WS1"
runs s1 "ckpt pipeline note PRD-050 --key-fix 'data/prices.csv: prices are cents without tax'"
runs s1 "ckpt pipeline done PRD-050 WS1 --artifact data/prices.csv"
runs s1 "ckpt pipeline gate run PRD-050 price-check --for WS1"
says s1 'The table passed its check. WS2 and WS3 are independent of each other and could run in parallel.'
ends s1
