# The first open task was done on a branch in another worktree, by a session that was killed there. Here it looks untouched.
put plans/260405-1010-invoices/plan.md <<'END'
# Invoices

<!-- CHECKPOINT: invoices -->
- [ ] Number invoices without gaps <!-- TASK: numbering -->
- [ ] Round each line, not the sum <!-- TASK: rounding -->
- [ ] Print invoices as PDF <!-- TASK: invoice-pdf -->
END
put src/sum.go <<< "func Sum(lines []Line) Money { return round(total(lines)) }"
put src/number.go <<< "func Next() int { return 0 }"
git add . && git commit --quiet -m "Plan the invoices"
ckpt plan sync

begins here
prompt here "Do the invoices. Rounding is done by another session in its own worktree."
runs here "echo 'func Next(tx Tx) int { return tx.Increment() }' > src/number.go && ckpt plan done numbering && git commit -qam 'Number invoices without gaps'"
runs here "ckpt plan note 'invoice-pdf prints the amounts of each line, so it needs rounding merged before it starts'"
says here "Numbering is finished here. The PDF comes when the rounding is merged."
ends here

git worktree add --quiet -b fix/rounding "$LIFE/rounding" main
cd "$LIFE/rounding"
ckpt plan sync
begins there
prompt there "Do the task rounding in this worktree."
runs there "ckpt plan claim rounding"
writes there src/sum.go <<'END'
func Sum(lines []Line) (s Money) {
    for _, l := range lines { s += roundHalfEven(l.Amount) }
    return
}
END
runs there "ckpt plan done rounding && git commit -qam 'Round each line, half to even'"
writes there src/sum_test.go <<< "func TestHalfEven(t *testing.T) { want(t, Sum(lines(0.005, 0.015)), 0.02) }"
says there "Rounding is committed on fix/rounding. The test of the half cents is written but not committed; when it passes, merge fix/rounding into main."
dies there
cd "$LIFE/repository"
