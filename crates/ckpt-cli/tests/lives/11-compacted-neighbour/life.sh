# Two sessions share a work tree. One was compacted and is alive, the other was killed. Both have uncommitted files.
put plans/260312-1600-list-endpoints/plan.md <<'END'
# List endpoints

<!-- CHECKPOINT: lists -->
- [ ] Sort lists by creation time <!-- TASK: sort-lists -->
- [ ] Document the lists in docs/api.md <!-- TASK: api-docs -->
- [ ] Filter lists by owner <!-- TASK: owner-filter -->
- [ ] Page through lists with a cursor <!-- TASK: cursor -->
END
put docs/api.md <<< "# API"
put src/lists.py <<< "def page(items, cursor): return items"
git add . && git commit --quiet -m "Plan the list endpoints"
ckpt plan sync

begins writer
prompt writer "Document the lists."
runs writer "ckpt plan claim api-docs --by team:docs"
begins coder
prompt coder "Do cursor before the filter, the app team waits for it."
runs coder "ckpt plan done sort-lists && git commit -qam 'Sort the lists'"
runs coder "ckpt plan claim cursor --by team:core"
writes writer docs/api.md <<'END'
# API
Lists are sorted by creation time. Sorting by name is
END
says writer "The part on sorting is half written. Cursors follow when the code is there."
compacts writer
writes coder src/lists.py <<'END'
def page(items, cursor):
    return [i for i in items if i.created_at > cursor.created_at]
END
says coder "Items of the same second get lost between two pages. The cursor needs the id as well, not only created_at."
dies coder
