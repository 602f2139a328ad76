# A session that was acknowledged, was resumed and died again is told again.
plans_login

begins one
runs one "ckpt plan claim login-form"
dies one
expect session_died
ckpt ack one
gone session_died
begins one
runs one "ckpt plan done login-form && ckpt plan claim reset-mail"
dies one
expect session_died
