# Shipping is approved, the content has not changed, only the push is left. A review in another checkpoint has since found
# a hole, and told nobody.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
git push --quiet -u origin main
ckpt start implement webhooks --phases build,test > /dev/null

begins maker
prompt maker 'Build the webhooks and ship them today.'
writes maker src/webhook.py << 'END'
def receive(request):
    event = parse(request.body)
    run_handler(event)
    if not verify(request.signature, request.body):
        return 401
    return 200
END
runs maker "git add src && git commit --quiet -m 'Receive webhooks'"
runs maker "ckpt phase implement/webhooks build complete --created src/webhook.py --summary 'receive in src/webhook.py answers 401 to a wrong signature.'"
runs maker "ckpt phase implement/webhooks test complete --summary 'A wrong signature gives 401, a right one 200.' && ckpt complete implement/webhooks"
runs maker "ckpt start implement charts --phases research,build && ckpt phase implement/charts research in_progress --summary 'Two libraries compared, three to go.'"
runs maker "ckpt start ship && ckpt phase ship pre-flight complete --summary 'Version 2.9.0, changelog written.'"
ckpt gate set ship --allow

begins reader
prompt reader 'Review the webhooks, in your own session.'
runs reader "ckpt start review webhooks --phases analysis,findings,report"
runs reader "ckpt phase review/webhooks analysis complete --summary 'receive in src/webhook.py runs the handler before it verifies the signature: the answer is 401, but whatever a stranger sent has been carried out. This must not ship. verify has to come first.'"
runs reader "ckpt phase review/webhooks findings in_progress --summary 'Writing it up. Nobody has been told yet.'"
says reader 'I was asked to make room. The findings are in the checkpoint of the review.'
ends reader

runs maker "ckpt phase ship commit complete --summary 'Nothing to commit, the approved content is HEAD.'"
says maker 'The gate says allowed, so git push is all that is left. My terminal has to restart.'
ends maker
