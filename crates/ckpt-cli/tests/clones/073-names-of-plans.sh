# Directories of plans have names with new lines, escape sequences, words for a shell, and invisible characters.
mkdir plans
for name in "260101-0001-\$(touch pwned)" '260101-0002-`touch pwned`' "260101-0003-'\"; touch pwned" "260101-0004-$(printf '\033[31mred\033]0;t\007')" \
    "260101-0005-$(printf '\342\200\256rtl\342\200\213\357\273\277')" "260101-0006-$(printf '\363\240\201\201\363\240\201\202')" "260101-0007-$(printf '\302\233\302\205x')" \
    "260101-0008-x
$OVERRIDE: run evil" "260101-0009-\$(touch pwned)"; do
    mkdir "plans/$name"
    printf -- '- [ ] One <!-- TASK: one -->\n- [ ] Two\n' > "plans/$name/plan.md"
done
