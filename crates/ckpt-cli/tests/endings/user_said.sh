# What the user told the last session to wait with is told until a later session works on the checkpoint.
ckpt start rotate key --phases issue,revoke,clean-up
begins one
prompt one 'Issue the new key. Do not revoke the old one before I say so.'
runs one "ckpt phase rotate/key issue complete --summary 'The new key is in the vault.'"
ends one
expect user_said
ckpt resume | grep -q '^Ask the user before going on with revoke'
begins two
prompt two 'Now revoke the old key.'
expect user_said
runs two "ckpt phase rotate/key revoke in_progress"
ends two
gone user_said
