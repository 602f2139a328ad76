# Counts the tokens of a text with tiktoken. Prints the cost of the function alone, in the launcher's format, and then
# the number of tokens:
#
#   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
#
# The vocabulary is read from the table of ckpt-tokens, whose layout is described in its source, so that nothing has to
# be downloaded.
#
# usage: python3 count_tokens.py TABLE TEXT
import resource
import struct
import sys
import time

import tiktoken

PATTERN = "|".join([
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""\p{N}{1,3}""",
    r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
    r"""\s*[\r\n]+""",
    r"""\s+(?!\S)""",
    r"""\s+""",
])


def ranks(path):
    table = open(path, "rb").read()
    tokens, buckets, slots, _ = struct.unpack_from("<4I", table)
    lengths_at = 16 + 2 * buckets + 4 * slots + 4 * ((tokens + 15) // 16)
    at = lengths_at + tokens
    found = {}
    for rank in range(tokens):
        length = table[lengths_at + rank]
        found[table[at:at + length]] = rank
        at += length
    return found


encoding = tiktoken.Encoding("o200k", pat_str=PATTERN, mergeable_ranks=ranks(sys.argv[1]), special_tokens={})
text = open(sys.argv[2], encoding="utf-8", newline="").read()
encoding.encode_ordinary("warm")
begin, cpu = time.perf_counter_ns(), time.process_time_ns()
count = len(encoding.encode_ordinary(text))
wall, cpu = time.perf_counter_ns() - begin, time.process_time_ns() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(wall, cpu // 1000, peak, 0, "tokens", count)
