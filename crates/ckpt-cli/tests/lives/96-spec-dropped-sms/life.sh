mkdir -p docs
spec() {
    cat << END
---
prd: PRD-040
prd_title: Notification centre
workstreams:
  WS1: { name: Preferences, outputs: [src/prefs.ts] }
  WS2: { name: Mail channel, depends_on: [WS1], outputs: [src/channels/mail.ts] }
$1
  WS4: { name: Inbox page, depends_on: [$2], outputs: [src/pages/inbox.tsx] }
---
END
}
spec '  WS3: { name: SMS channel, depends_on: [WS1], outputs: [src/channels/sms.ts] }' 'WS2, WS3' > docs/EXECUTION-SPEC-PRD-040.md
git add . && git commit --quiet -m 'Specify PRD-040'
git clone --quiet --bare . "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
git fetch --quiet && git branch --quiet --set-upstream-to=origin/main
ckpt pipeline init docs/EXECUTION-SPEC-PRD-040.md > /dev/null
begins s1
prompt s1 'Build PRD-040 from its specification, one workstream after the other.'
runs s1 'ckpt pipeline start PRD-040 WS1'
writes s1 src/prefs.ts <<< 'export type Channel = "mail" | "sms";'
runs s1 'git add . && git commit --quiet -m "Add preferences" && ckpt pipeline done PRD-040 WS1 --artifact src/prefs.ts && ckpt pipeline start PRD-040 WS2'
writes s1 src/channels/mail.ts <<< 'export const send = (m) => smtp.send(m);'
runs s1 'git add . && git commit --quiet -m "Add the mail channel" && ckpt pipeline done PRD-040 WS2 --artifact src/channels/mail.ts && git push --quiet'
says s1 'Preferences and mail are done and pushed. WS3, the SMS channel with Twilio, is next.'
ends s1
git clone --quiet "$LIFE/origin.git" "$LIFE/petra"
spec '  WS5: { name: Web push channel, depends_on: [WS1], outputs: [src/channels/push.ts] }' 'WS2, WS5' > "$LIFE/petra/docs/EXECUTION-SPEC-PRD-040.md"
by Petra git -C "$LIFE/petra" commit --quiet -am 'PRD-040: drop SMS, legal said no; web push instead'
git -C "$LIFE/petra" push --quiet
git pull --quiet
