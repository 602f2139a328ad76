# Shipping was approved. Then somebody else's commit was pulled, and only the push is left.
mkdir -p src
printf 'def charge_card(card, amount):\n    for attempt in range(3):\n        ...\n' > src/pay.py
git add src && git commit --quiet -m "Retry charges"
ckpt start ship > /dev/null

begins s1
prompt s1 'Ship the retries.'
runs s1 "ckpt phase ship pre-flight in_progress"
writes s1 src/report.py <<< 'def daily(): ...'
runs s1 "ckpt phase ship pre-flight complete --modified src/pay.py --created src/report.py --summary 'Checked by hand that \`charge_card\` in src/pay.py never charges twice when it retries. Payments staging was green.'"
ckpt gate set ship --allow 2> /dev/null
runs s1 "git add src && git commit --quiet -m 'Add the daily report'"
runs s1 "ckpt phase ship commit complete --summary 'One commit on main, approved content.'"
git clone --quiet . ../bo
(
    cd ../bo
    printf 'def charge_order(order):\n    for item in order:\n        for attempt in range(3):\n            ...\n' > src/pay.py
    by Bo git commit --quiet --all -m "Charge orders item by item"
)
runs s1 "git pull --quiet ../bo main"
says s1 'I pulled so that the push is a fast-forward. Only git push is left.'
ends s1
