# A checkpoint that a newer ckpt wrote is told until a ckpt supports its version.
ckpt start implement invoices --phases build,test
gone newer_format

sed -i 's/"version": 1/"version": 2/' .claude/state/implement-invoices.json
expect newer_format
! ckpt phase implement/invoices build complete 2> /dev/null
expect newer_format
ckpt resume | grep -q '^Upgrade ckpt: a newer one wrote implement/invoices\.$'
sed -i 's/"version": 2/"version": 1/' .claude/state/implement-invoices.json
gone newer_format
