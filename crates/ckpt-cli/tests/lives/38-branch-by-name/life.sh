# Two commands were recorded on main. Then a branch was made that is named after the older one, and a commit made here
# renamed what its summary speaks of.
mkdir -p src
printf 'pub fn parse_header(line: &str) -> Option<(&str, &str)> {\n    line.split_once(":")\n}\n' > src/header.rs
git add src && git commit --quiet -m "Parse headers"
ckpt start implement header-folding --phases research,build,test > /dev/null
ckpt start implement logging --phases research,build > /dev/null

begins s1
prompt s1 'Headers may be folded over several lines. Look into it, then into logging.'
runs s1 "ckpt phase implement/header-folding research complete --summary 'RFC 9112 lets a server reject folded headers, and we reject: answer 400. Joining the lines is a smuggling risk.'"
runs s1 "ckpt phase implement/header-folding build in_progress --task T002 --modified src/header.rs --summary 'The check belongs into \`parse_header\` in src/header.rs, before the split. T001, the error type, is done.'"
runs s1 "ckpt phase implement/logging research complete --summary 'Use tracing.'"
runs s1 "ckpt phase implement/logging build in_progress --summary 'Spans are set up.'"
says s1 'Both are under way. You can go on with either.'
ends s1

git switch --quiet -c feature/header-folding
printf 'pub fn read_field(line: &str) -> Option<(&str, &str)> {\n    line.split_once(":")\n}\n' > src/header.rs
git commit --quiet --all -m "Call a field a field"
