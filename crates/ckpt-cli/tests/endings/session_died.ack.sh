# A session that died is told until somebody acknowledges it, by its id or the beginning of it.
plans_login

begins 7f3a91c2-one
runs 7f3a91c2-one "ckpt plan claim login-form"
dies 7f3a91c2-one
begins 90b1d844-two
runs 90b1d844-two "ckpt plan claim reset-mail"
dies 90b1d844-two
expect session_died
ckpt ack 7f3a91c2
expect session_died
ckpt ack 90b1d844-two --reason 'nothing was lost'
gone session_died
