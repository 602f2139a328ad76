# An approval whose content cannot be compared, because a filter of git is not installed, is told until it can be.
export GIT_CONFIG_GLOBAL=$LIFE/gitconfig
git config --global filter.pictures.required true
git config --global filter.pictures.clean cat
put .gitattributes <<< '*.png filter=pictures'
commits logo.png "a picture"
ckpt start ship
ckpt gate set ship --allow
gone gate_unchecked

git config --global filter.pictures.clean no-such-program
put logo.png <<< "another picture"
expect gate_unchecked
ckpt phase ship pre-flight complete
expect gate_unchecked
git config --global filter.pictures.clean cat
gone gate_unchecked
expect gate_void
put logo.png <<< "a picture"
gone gate_void
