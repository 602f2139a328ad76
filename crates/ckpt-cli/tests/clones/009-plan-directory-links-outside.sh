# The directory of a plan is a link to a place of the user elsewhere.
mkdir plans
ln -s "$OUTSIDE" plans/260101-0000-x
