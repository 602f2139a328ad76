# Somebody who means the old content can say so.
commits flags.toml "beta = false"
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
commits flags.toml "beta = true"
put flags.toml <<< "beta = false"
expect old_content
ckpt ack flags.toml
gone old_content
