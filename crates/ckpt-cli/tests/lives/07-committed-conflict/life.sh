# Two branches ticked different tasks of one plan. The merge was committed with its conflict markers in the plan.
plan=plans/260308-0900-sign-in/plan.md
put $plan <<'END'
# Sign in

We replace the old sign in page. The old one stays at /legacy until the end of the month,
because two partners have bookmarked it.

Out of scope:

* signing in with a company account
* two factors
* the mobile app, which has a page of its own

Ask Noor about the texts.

## Pages
<!-- CHECKPOINT: pages -->
- [ ] Build the sign in form <!-- TASK: form -->
- [ ] Send the reset mail <!-- TASK: reset-mail -->
- [ ] Lock accounts after ten failures <!-- TASK: lockout -->

## Switch
<!-- CHECKPOINT: switch -->
- [ ] Point /login to the new page <!-- TASK: switch-route -->
END
git add . && git commit --quiet -m "Plan the sign in page"
ckpt plan sync

begins web
git switch --quiet -c reset-mail
runs web "echo 'send(reset_link)' > reset.js && ckpt plan done reset-mail && git add . && git commit -qm 'Send the reset mail'"
git switch --quiet main
runs web "ckpt plan sync"
runs web "echo '<form>' > form.html && ckpt plan done form && git add . && git commit -qm 'Build the sign in form'"
sed -i 's/Lock accounts after ten failures/Lock accounts after five failures/' $plan
git commit --quiet -am "Lock accounts sooner"
runs web "git merge -q reset-mail"
runs web "git add . && git commit -qm 'Merge branch reset-mail'"
says web "reset-mail is merged into main."
ends web
