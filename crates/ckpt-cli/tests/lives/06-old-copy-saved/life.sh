# Somebody saves an old copy of the plan with a new introduction: a finished task is open again, and a phase has vanished.
put plans/260307-1100-orders-table/plan.md <<'END'
# Move to the new orders table

## Move
<!-- CHECKPOINT: move -->
- [ ] Create the table orders_v2 <!-- TASK: create-table -->
- [ ] Copy the 40 million old orders <!-- TASK: backfill -->
- [ ] Write to both tables <!-- TASK: dual-write -->
- [ ] Compare the tables every night <!-- TASK: compare -->

## Clean up
<!-- CHECKPOINT: clean-up -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
cp plans/260307-1100-orders-table/plan.md "$LIFE/editor-buffer"
put db/orders.py <<< "def save(order): old.insert(order)"
git add . && git commit --quiet -m "Plan the move of the orders"
ckpt plan sync

begins db
runs db "echo 'CREATE TABLE orders_v2 ();' > db/0031.sql && git add db && git commit -qm 'Create orders_v2' && ckpt plan done create-table"
runs db "echo 'INSERT INTO orders_v2 SELECT' > db/backfill.sql && git add db && git commit -qm 'Copy the old orders'"
runs db "ckpt plan done backfill"
runs db "ckpt plan note 'The copy ran for nine hours on production and emptied the connection pool twice'"
runs db "ckpt plan claim dual-write"
runs db "echo 'def save(order): old.insert(order); new.insert(order)' > db/orders.py"
runs db "git commit -qam 'Insert orders into both tables'"
says db "Inserts go to both tables. Updates and deletes in db/orders.py still go to the old one only."
ends db

# An editor that was open since the beginning saves what it had. create-table is ticked by hand, the end is missing.
sed -e 's/^# Move.*/&\n\nThe shop must stay open all the time./' -e 's/\[ \] Create/[x] Create/' -e '/^## Clean up/,$d' \
    "$LIFE/editor-buffer" > plans/260307-1100-orders-table/plan.md
git commit --quiet -am "Say in the plan that the shop stays open"
