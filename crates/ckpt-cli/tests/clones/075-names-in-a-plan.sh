# Titles, phases, decisions and blockers of a plan have escape sequences, carriage returns and invisible characters.
mkdir -p plans/260101-0000-x
odd=$(printf '\033[2J\r%s \302\233 \342\200\256 \342\200\213 \342\201\240 \357\273\277 \363\240\201\201 \302\205%s\342\200\250%s \013%s \014%s' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
{
    printf '# %s\n\n## %s <!-- CHECKPOINT: setup -->\n' "$odd" "$odd"
    printf -- '- [ ] %s <!-- TASK: one -->\n- [ ] %s\n- [ ] %s <!-- ACCEPT: a -->\n' "$odd" "$odd" "$odd"
    printf '<!-- DECISION: %s -->\n<!-- BLOCKER: %s -->\n<!-- TASK: %s -->\n' "$odd" "$odd" "$odd"
} > plans/260101-0000-x/plan.md
cp plans/260101-0000-x/plan.md "plans/260101-0000-x/phase-01-$(printf '\033[31m\342\200\256').md"
