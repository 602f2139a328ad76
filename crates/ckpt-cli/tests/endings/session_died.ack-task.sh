# If `ckpt ack` accepts the task that a dead session was working on, then it ends the hazard.
plans_login

begins one
runs one "ckpt plan claim login-form"
dies one
expect session_died
if ckpt ack login-form; then gone session_died; else expect session_died; fi
