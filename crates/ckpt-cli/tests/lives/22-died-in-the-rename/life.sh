# A session dies in the middle of a rename that no phase has recorded: half of it is on disk, and the summary of the
# phase before names what is gone.
mkdir -p src tests
printf 'def split_words(text):\n    return text.lower().split()\n' > src/tokens.py
printf 'from src.tokens import split_words\n\n\ndef rank(query, page):\n    return len(set(split_words(query)) & set(split_words(page)))\n' > src/rank.py
printf 'from src.rank import rank\n\n\ndef test_rank():\n    assert rank("a b", "b c") == 1\n' > tests/test_rank.py
git add src tests && git commit --quiet -m "Rank pages by shared words"
ckpt start implement search --phases research,build,test > /dev/null

begins s1
prompt s1 'Make search stream its tokens instead of building lists.'
runs s1 "ckpt phase implement/search research complete --modified src/tokens.py --summary 'All tokens come from \`split_words\` in src/tokens.py. Ranking calls it twice for each page, which is what makes search slow.'"
runs s1 "ckpt phase implement/search build in_progress --task T002"
writes s1 src/stopwords.py <<< 'STOPWORDS = {"the", "a", "of"}'
runs s1 "git add src && git commit --quiet -m 'Add stopwords'"
runs s1 "ckpt phase implement/search build in_progress --task T003 --created src/stopwords.py"
says s1 'T002 is finished and committed. Now T003, the streaming tokens.'
writes s1 src/tokens.py << 'END'
def iter_tokens(text):
    for word in text.lower().split():
        yield word
END
says s1 'src/tokens.py now has iter_tokens instead of the list. For T003 I still have to switch src/rank.py over; until then every search fails on import.'
dies s1
