# The project chooses the slowest counter of tokens, and a summary is one word of a megabyte.
#: short
mkdir -p .claude/state .claude/config
printf '{"token_counter":"o200k","summary_limit":1}\n' > .claude/config/ckpt.json
{ printf '{"command":"implement","feature":"auth","version":1,"state":{"context_summary":"'; head -c 1000000 /dev/zero | tr '\0' a; printf '","current_phase":"a"},"phases":{"a":{"status":"in_progress","context_summary":"'; head -c 500000 /dev/zero | tr '\0' ' '; printf '"}}}\n'; } > .claude/state/implement-auth.json
