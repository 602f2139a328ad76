# A plan is a link to a link to a link to git's settings.
mkdir -p plans/260101-0000-x a
ln -s ../../a/one plans/260101-0000-x/plan.md
ln -s two a/one
ln -s ../plans/260101-0000-x/../../.git/config a/two
ln -s ../../a/one plans/260101-0000-x/phase-01-x.md
