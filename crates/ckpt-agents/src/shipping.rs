//! Telling commands that ship something.
//!
//! A shell can hide a command in more ways than can be seen through, so this is best effort: it finds what agents write,
//! and is no protection against somebody who wants to get past it.

/// Whether a command line pushes, or makes a pull request.
pub(crate) fn ships(line: &str) -> bool {
    ships_within(line, DEEPEST)
}

/// Command lines in command lines are looked into so deep.
const DEEPEST: u32 = 3;

fn ships_within(line: &str, depth: u32) -> bool {
    let Read { commands, inner } = read(line);
    let is_shipping = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ships_alone(&words, depth)
    };
    commands.iter().any(is_shipping)
        || (depth > 0 && inner.iter().any(|line| ships_within(line, depth - 1)))
}

/// What a command line is made of.
#[derive(Default)]
struct Read {
    /// Its commands, as words.
    commands: Vec<Vec<String>>,
    /// Command lines that stand in quotes.
    inner: Vec<String>,
}

/// Reads a command line: what stands in quotes is one word, or a part of one; what stands behind a `#`, and in documents, is
/// text.
fn read(line: &str) -> Read {
    let mut read = Read {
        commands: vec![vec![String::new()]],
        inner: Vec::new(),
    };
    let mut documents: Vec<String> = Vec::new();
    let mut rest = line.chars().peekable();
    let mut quote = None;
    while let Some(character) = rest.next() {
        let command = read.commands.last_mut().expect("there is always one");
        let word = command.last_mut().expect("there is always one");
        match (quote, character) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => word.push(character),
            (_, '\\') => match rest.next() {
                // A line that goes on.
                Some('\n') | None => {}
                Some(escaped) => word.push(escaped),
            },
            (Some(_), '$') if rest.peek() == Some(&'(') => {
                rest.next();
                read.inner.push(until_closed(&mut rest));
            }
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
            (None, '"' | '\'') => quote = Some(character),
            (None, '#') if word.is_empty() => while rest.next_if(|next| *next != '\n').is_some() {},
            (None, '<') if rest.next_if_eq(&'<').is_some() => {
                if rest.next_if_eq(&'<').is_none() {
                    documents.push(marker(&mut rest));
                }
            }
            (None, '(') if rest.next_if_eq(&'(').is_some() => {
                // Arithmetic, in which `<<` is no document.
                until_closed(&mut rest);
                rest.next_if_eq(&')');
            }
            (None, ' ' | '\t') => command.push(String::new()),
            (None, '\n') => {
                for document in documents.drain(..) {
                    skip(&mut rest, &document);
                }
                read.commands.push(vec![String::new()]);
            }
            (None, ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`') => {
                read.commands.push(vec![String::new()]);
            }
            (None, _) => word.push(character),
        }
    }
    for command in &mut read.commands {
        command.retain(|word| !word.is_empty());
    }
    read
}

type Rest<'l> = std::iter::Peekable<std::str::Chars<'l>>;

/// What stands before the bracket that closes one that is open.
fn until_closed(rest: &mut Rest<'_>) -> String {
    let mut depth = 1;
    let mut text = String::new();
    for character in rest.by_ref() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        text.push(character);
    }
    text
}

/// The line that ends a document.
fn marker(rest: &mut Rest<'_>) -> String {
    while rest
        .next_if(|next| matches!(next, '-' | ' ' | '\t'))
        .is_some()
    {}
    let quote = rest.next_if(|next| matches!(next, '"' | '\''));
    let mut marker = String::new();
    let is_end = |next: &char| match quote {
        Some(quote) => *next == quote,
        None => next.is_whitespace() || matches!(next, ';' | '&' | '|' | '>' | '<' | ')'),
    };
    while let Some(next) = rest.next_if(|next| !is_end(next)) {
        marker.push(next);
    }
    if quote.is_some() {
        rest.next();
    }
    marker.retain(|character| character != '\\');
    marker
}

/// Passes over a document.
fn skip(rest: &mut Rest<'_>, marker: &str) {
    loop {
        let mut line = String::new();
        while let Some(next) = rest.next_if(|next| *next != '\n') {
            line.push(next);
        }
        if rest.next().is_none() || line.trim() == marker {
            return;
        }
    }
}

/// What may stand before a command: words of the shell, and programs that run another.
const BEFORE: [&str; 19] = [
    "env", "sudo", "time", "timeout", "nice", "stdbuf", "command", "exec", "nohup", "if", "then",
    "elif", "else", "while", "until", "do", "!", "$", "xargs",
];

fn ships_alone(words: &[&str], depth: u32) -> bool {
    // Assignments, options, their values and numbers belong to what runs the command.
    let mut start = 0;
    while let Some(word) = words.get(start) {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let has_value = start > 0 && matches!(*word, "-u" | "-g" | "-k" | "-n" | "-C" | "-S");
        let is_before = word.contains('=') || word.starts_with('-') || is_number;
        if !is_before && !BEFORE.contains(word) {
            break;
        }
        start += if has_value { 2 } else { 1 };
    }
    let Some((program, arguments)) = words.get(start..).and_then(<[&str]>::split_first) else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "git" => verb(arguments) == Some("push"),
        "gh" => {
            let mut words = arguments.iter().skip_while(|word| **word != "pr");
            words.next().is_some() && matches!(words.next(), Some(&("create" | "new")))
        }
        "hub" => matches!(arguments, ["pull-request", ..]),
        "sh" | "bash" | "zsh" | "dash" if depth > 0 => {
            let is_option = |word: &&&str| word.starts_with('-') && word.contains('c');
            let at = arguments.iter().position(|word| is_option(&word));
            let line = at.and_then(|at| arguments.get(at + 1));
            line.is_some_and(|line| ships_within(line, depth - 1))
        }
        "eval" if depth > 0 => ships_within(&arguments.join(" "), depth - 1),
        _ => false,
    }
}

/// The first argument of git that is no option, nor the value of one.
fn verb<'w>(arguments: &[&'w str]) -> Option<&'w str> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                arguments.next();
            }
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::ships;

    #[test]
    fn what_agents_write_to_ship_is_found() {
        for line in [
            "git push",
            "git push origin HEAD --force-with-lease",
            "cd /repo && git push -u origin main",
            "git -C /repo -c a=b --no-pager push",
            "GIT_SSH_COMMAND='ssh -i k' git push",
            "npm test; git push",
            "git commit -m x && sudo git push",
            "/usr/bin/git push",
            "(git push)",
            "if true; then git push; fi",
            "gh pr create --fill",
            "git add . \n git push",
            "if git push; then echo yes; fi",
            "test -f x || true; else git push",
            "while git push; do sleep 1; done",
            "timeout 60 git push",
            "timeout -k 5 60s git push",
            "git \\\n  push",
            "gh --repo a/b pr create --fill",
            "bash -c \"cd x && git push\"",
            "sh -lc 'git push'",
            "cat <<EOF > a\nx\nEOF\ngit push",
            "cat <<\"END OF\" > a\nx\nEND OF\ngit push",
            "echo $((1 << 2))\ngit push",
            "git commit -m \"a << b\"\ngit push",
            "git commit -m \"5\\\" disk\" && git push",
            "echo it\\'s done && git push",
            "x=\"$(git push)\"",
            "echo \"$(git push)\"",
            "bash -o pipefail -c \"git push\"",
            "bash -euo pipefail -c 'cd x; git push'",
            "eval git push",
            "sudo -u bob git push",
            "env -u X git push",
            "gh pr new",
        ] {
            assert!(ships(line), "{line}");
        }
    }

    #[test]
    fn what_does_not_ship_is_let_alone() {
        for line in [
            "",
            "git status",
            "git log --grep push",
            "git stash push",
            "echo git push",
            "git commit -m 'git push later'",
            "gh pr view",
            "gh pr list --search create",
            "grep 'git push' README.md",
            "cat <<'EOF' > run.sh\ngit push\nEOF\n",
            "echo 1 # then; git push",
            "bash -c 'echo git push'",
            "git log <<< 'git push'",
        ] {
            assert!(!ships(line), "{line}");
        }
    }
}
