# A phase that failed is told until it is recorded as complete; other phases leave it.
ckpt start implement invoices --phases build,test,docs,review
ckpt phase implement/invoices build complete
ckpt phase implement/invoices test failed --error '2 tests fail'
expect failed
ckpt phase implement/invoices docs complete
expect failed
ckpt phase implement/invoices test complete --summary 'Both tests pass.'
gone failed
