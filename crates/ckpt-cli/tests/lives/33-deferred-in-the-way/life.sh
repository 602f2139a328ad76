# The first workstream that is open was deferred, and two others wait for it. One at the end of the list can be done.
mkdir -p docs src
cat > docs/EXECUTION-SPEC-PRD-072.md << 'END'
---
prd: PRD-072
prd_title: Parcel tracking
workstreams:
  WS1: { name: Parcel model }
  WS2: { name: Carrier webhooks, depends_on: [WS1] }
  WS3: { name: Live map, depends_on: [WS2] }
  WS4: { name: Delay mails, depends_on: [WS3] }
  WS5: { name: Address labels, depends_on: [WS1] }
  WS6: { name: Carrier choice }
---
END
git add docs && git commit --quiet -m "Specify parcel tracking"
ckpt pipeline init docs/EXECUTION-SPEC-PRD-072.md > /dev/null

begins s1
prompt s1 'Build PRD-072.'
runs s1 "ckpt pipeline start PRD-072 WS1 WS6"
writes s1 src/parcel.rb <<< 'Parcel = Struct.new(:number, :carrier)'
writes s1 docs/carriers.md <<< 'We take Nordpost: it is the only one with webhooks.'
runs s1 "git add src docs && git commit --quiet -m 'Model parcels and choose a carrier'"
runs s1 "ckpt pipeline done PRD-072 WS1 --artifact src/parcel.rb"
runs s1 "ckpt pipeline done PRD-072 WS6 --artifact docs/carriers.md"
runs s1 "ckpt pipeline start PRD-072 WS2"
runs s1 "ckpt pipeline defer PRD-072 WS2 --reason 'Nordpost turns webhooks on for us on the 14th, contract NP-88'"
says s1 'WS2 has to wait for Nordpost. Polling their site instead would break their terms. The live map would be the most visible thing to do next.'
ends s1
