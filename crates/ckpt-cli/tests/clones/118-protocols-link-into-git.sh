# The directory that init writes a document to is a link to git's own.
mkdir .claude
ln -s ../.git .claude/protocols
ln -s ../.git .claude/config
