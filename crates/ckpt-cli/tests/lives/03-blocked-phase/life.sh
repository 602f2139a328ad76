# The second phase waits for somebody, the third does not depend on it. Finished work of the first phase is not committed.
put plans/260304-0815-refunds/plan.md <<'END'
# Refunds

## Phase 1: Data
<!-- CHECKPOINT: data -->
- [ ] Store refunds next to payments <!-- TASK: refund-model -->

## Phase 2: Payment provider
<!-- CHECKPOINT: provider -->
- [ ] Send refunds to the provider <!-- TASK: send-refund -->
- [ ] Handle refunds that the provider rejects <!-- TASK: rejected-refund -->

## Phase 3: Mails
<!-- CHECKPOINT: mails -->
- [ ] Write the refund mail <!-- TASK: refund-mail -->
- [ ] Translate the refund mail <!-- TASK: translate-mail -->
END
put shop/models.py <<< "class Payment: pass"
put mail/payment.txt <<< "Thank you for your payment."
git add . && git commit --quiet -m "Plan the refunds"
ckpt plan sync

begins shop
prompt shop "Work on the refunds."
writes shop shop/models.py <<'END'
class Payment: pass
class Refund: payment: Payment
END
writes shop shop/migrations/0007_refunds.sql <<< "CREATE TABLE refunds (payment_id bigint REFERENCES payments, cents int NOT NULL);"
runs shop "ckpt plan done refund-model"
runs shop "ckpt plan block 'Waiting for the sandbox account, Lena in finance asks the provider' --phase provider"
runs shop "ckpt plan decide 'Amounts are whole cents' --reason 'the provider refuses fractions' --phase data"
runs shop "ckpt plan note 'The mails need nothing from the provider'"
says shop "Without the sandbox account I cannot go on with the provider."
ends shop
