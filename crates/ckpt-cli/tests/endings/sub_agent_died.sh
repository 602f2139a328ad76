# A sub-agent that was at work when its session ended is told until its task is changed.
plans_login

begins one
spawns one mailer "Do the task reset-mail of plans/260301-0900-login."
sub_says one mailer "The template is missing."
gone sub_agent_died
ends one
expect sub_agent_died
next_brief > /dev/null
ckpt plan done login-form
expect sub_agent_died
ckpt plan claim reset-mail
gone sub_agent_died
