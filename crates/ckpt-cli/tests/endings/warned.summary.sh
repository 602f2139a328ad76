# A summary that says not to ship is told until somebody settles it.
ckpt start review login --phases analysis,report
ckpt phase review/login analysis complete --summary "Names are not escaped. This must not ship."
expect warned
ckpt ack analysis
gone warned
