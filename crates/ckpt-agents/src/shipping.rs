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
    commands(&without_documents(line)).iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ships_alone(&words, depth)
    })
}

/// A command line without the documents that stand in it, which are text and no commands.
fn without_documents(line: &str) -> String {
    let mut kept = String::new();
    let mut end: Option<String> = None;
    for one in line.replace("\\\n", " ").lines() {
        match &end {
            Some(word) if one.trim() == word => end = None,
            Some(_) => {}
            None => {
                kept += one;
                kept.push('\n');
                let marker = one.split_once("<<").map(|(_, rest)| rest);
                let marker = marker.filter(|rest| !rest.starts_with('<'));
                let word = marker.map(|rest| {
                    let rest = rest.trim_start_matches(['-', ' ', '"', '\'', '\\']);
                    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
                    rest.split(is_end).next().unwrap_or_default().to_owned()
                });
                end = word.filter(|word| !word.is_empty());
            }
        }
    }
    kept
}

/// The commands of a line, as words. What stands in quotes is one word, or a part of one; what stands behind a `#` is
/// none.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![String::new()]];
    let mut quote = None;
    let mut in_comment = false;
    for character in line.chars() {
        let command = commands.last_mut().expect("there is always one");
        let word = command.last_mut().expect("there is always one");
        in_comment &= character != '\n';
        match (quote, character) {
            _ if in_comment => {}
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
            (None, '#') if word.is_empty() => in_comment = true,
            (None, '"' | '\'') => quote = Some(character),
            (None, ' ' | '\t') => command.push(String::new()),
            (None, '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`') => {
                commands.push(vec![String::new()]);
            }
            (None, _) => word.push(character),
        }
    }
    for command in &mut commands {
        command.retain(|word| !word.is_empty());
    }
    commands
}

/// What may stand before a command: words of the shell, and programs that run another.
const BEFORE: [&str; 19] = [
    "env", "sudo", "time", "timeout", "nice", "stdbuf", "command", "exec", "nohup", "if", "then",
    "elif", "else", "while", "until", "do", "!", "$", "xargs",
];

fn ships_alone(words: &[&str], depth: u32) -> bool {
    // Assignments, options and numbers belong to what runs the command.
    let is_before = |word: &&str| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        word.contains('=') || word.starts_with('-') || is_number || BEFORE.contains(word)
    };
    let start = words.iter().take_while(|word| is_before(word)).count();
    let Some((program, arguments)) = words[start..].split_first() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "git" => verb(arguments) == Some("push"),
        "gh" => {
            let mut words = arguments.iter().skip_while(|word| **word != "pr");
            words.next().is_some() && words.next() == Some(&"create")
        }
        "hub" => matches!(arguments, ["pull-request", ..]),
        "sh" | "bash" | "zsh" | "dash" | "eval" if depth > 0 => {
            let inner = arguments.iter().filter(|word| !word.starts_with('-'));
            inner.take(1).any(|line| ships_within(line, depth - 1))
        }
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
