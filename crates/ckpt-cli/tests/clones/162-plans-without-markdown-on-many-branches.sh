# A thousand plans have a state and no Markdown, and four hundred branches could have it.
#: short
seq -f 'plans/260102-%05g/.checkpoint' 1000 | xargs mkdir -p
for state in plans/*/.checkpoint; do
    printf '{"version":2,"phases":{"one":{"status":"in_progress","tasks":{"a":{"done":false}}}}}' > "$state/state.json"
done
git add --force plans
git -c user.name=a -c user.email=a@example.org commit -q -m plans
seq -f 'create refs/heads/b%g HEAD' 400 | git update-ref --stdin
