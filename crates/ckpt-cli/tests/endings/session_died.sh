# A session that died is told until somebody changes what it was working on; nothing else ends that.
plans_login

begins one
runs one "ckpt plan claim login-form"
says one "The form has no button yet."
gone session_died
dies one
expect session_died
next_brief > /dev/null
expect session_died
ckpt plan done reset-mail
expect session_died
ckpt plan note 'support waits for this'
expect session_died
ckpt plan claim login-form --by team:web
gone session_died
