# A session that died before it changed anything is told until anything is changed.
plans_login

begins one
prompt one "Create the form."
says one "I begin with the form."
dies one
expect session_died
next_brief > /dev/null
expect session_died
ckpt plan done reset-mail
gone session_died
