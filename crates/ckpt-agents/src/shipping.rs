//! Telling commands that ship something.
//!
//! A shell can hide a command in more ways than can be seen through, so this is best effort: it finds what agents write,
//! and is no protection against somebody who wants to get past it.

/// Whether a command line pushes, or makes a pull request.
pub(crate) fn ships(line: &str) -> bool {
    commands(line).iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ships_alone(&words)
    })
}

/// The commands of a line, as words. What stands in quotes is one word, or a part of one.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![String::new()]];
    let mut quote = None;
    for character in line.chars() {
        let command = commands.last_mut().expect("there is always one");
        let word = command.last_mut().expect("there is always one");
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
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

fn ships_alone(words: &[&str]) -> bool {
    // Assignments, and programs that run another.
    let is_before = |word: &&str| {
        word.contains('=')
            || [
                "env", "sudo", "time", "command", "exec", "nohup", "then", "do", "!", "$",
            ]
            .contains(word)
    };
    let start = words.iter().take_while(|word| is_before(word)).count();
    let Some((program, arguments)) = words[start..].split_first() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "git" => verb(arguments) == Some("push"),
        "gh" => matches!(arguments, ["pr", "create", ..]),
        "hub" => matches!(arguments, ["pull-request", ..]),
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
        ] {
            assert!(!ships(line), "{line}");
        }
    }
}
