# Four commands in flight: on this branch, on two others, and in another worktree. The name of this branch is that of a
# command which was worked on elsewhere, and last.
ckpt start implement exports --phases research,build,test > /dev/null
begins s1
prompt s1 'Start with the exports.'
runs s1 "ckpt phase implement/exports research complete --summary 'CSV and XLSX, nothing else.'"
runs s1 "ckpt start implement csv-writer --phases build && ckpt abandon implement/csv-writer --reason 'the standard library has one'"

git switch --quiet -c feature/exports
runs s1 "ckpt start implement reports --phases research,build,test"
runs s1 "ckpt phase implement/reports research complete --summary 'Reports are built on the export rows, so they live on the same branch. Totals must come from src/ledger.py.'"
runs s1 "ckpt phase implement/reports build in_progress --task T002 --summary 'Grouping by month works. Next is the carry-over of December, see carry_over.'"
writes s1 src/reports.py <<< 'def by_month(rows): ...'

git switch --quiet -c feature/audit main
runs s1 "ckpt start review audit"
runs s1 "ckpt phase review/audit analysis in_progress --summary 'Half of the log calls are read.'"

git worktree add --quiet -b feature/api ../api main
(
    cd ../api
    ckpt start implement api --phases build,test > /dev/null
    begins s2
    prompt s2 'Build the API in this worktree.'
    runs s2 "ckpt phase implement/api build in_progress --summary 'Routes exist, handlers are empty.'"
)

git switch --quiet main
runs s1 "ckpt phase implement/exports build complete --summary 'Both writers work.'"
runs s1 "ckpt phase implement/exports test failed --error 'XLSX opens with a warning in Excel'"
says s1 'I go back to the branch feature/exports for the reports.'
git switch --quiet feature/exports
ends s1
