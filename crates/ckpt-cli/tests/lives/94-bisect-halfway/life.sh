mkdir -p bench src
printf '#!/bin/sh\n# prints the median time of 50 queries\ngrep -c . src/search.txt\n' > bench/run.sh
change() { echo "$1" >> src/search.txt; git add . && git commit --quiet -m "$1"; }
change 'Search by prefix'
git tag v1.4
change 'Rank by popularity'
change 'Add synonyms'
change 'Index the tags'
change 'Cache the facets'
change 'Escape the query'
change 'Return highlights'
change 'Log slow queries'
ckpt start implement typo-tolerance --phases build,test > /dev/null
change 'Typo tolerance'
ckpt phase implement/typo-tolerance build complete --summary 'Levenshtein distance of one, in src/search.txt.'
ckpt phase implement/typo-tolerance test complete --summary 'Relevance tests pass; speed was not measured.'
ckpt complete implement/typo-tolerance
begins s1
prompt s1 'Search got slow between v1.4 and main. Find out which commit did it and write it up for Tomas. Do not fix anything, it is his module.'
runs s1 'ckpt start research slow-search --phases reproduce,bisect,explain,report'
runs s1 "ckpt phase research/slow-search reproduce complete --summary 'sh bench/run.sh on the 200k corpus: v1.4 takes 0.3 s, main 2.9 s. Above 1 s counts as bad. Build with make clean first, the old index format otherwise gives nonsense.'"
runs s1 'ckpt phase research/slow-search bisect in_progress'
runs s1 'git bisect start && git bisect bad main && git bisect good v1.4'
writes s1 bench/times.csv <<< 'v1.4,0.3
main,2.9'
runs s1 'git bisect bad'
says s1 'The first midpoint, Cache the facets, takes 2.8 s, so it is bad and marked as such. Next I build and measure the commit that is checked out now.'
dies s1
