//! Recognises commands that ship something.
//!
//! A shell can hide a command in too many ways, so this is best effort: it finds what agents usually write, and does
//! not stop anyone who wants to get around it.

/// What a command line ships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipment {
    /// Commits that already exist.
    Commits,
    /// A commit that the same line first makes from the work tree.
    WorkTree,
}

/// What a command line ships. It ships if it pushes, or creates or merges a pull request.
pub(crate) fn ships(line: &str) -> Option<Shipment> {
    if !has(line, DEEPEST, &ships_alone) {
        return None;
    }
    Some(match has(line, DEEPEST, &commits_alone) {
        true => Shipment::WorkTree,
        false => Shipment::Commits,
    })
}

/// How deep nested command lines are searched.
const DEEPEST: u32 = 3;

/// A test on a program and its arguments.
type Test<'t> = &'t dyn Fn(&str, &[&str]) -> bool;

/// Whether any command in a command line passes a test, nested ones included.
fn has(line: &str, depth: u32, test: Test<'_>) -> bool {
    let Read { commands, inner } = read(line);
    let is_meant = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        has_alone(&words, depth, test)
    };
    commands.iter().any(is_meant)
        || (depth > 0 && inner.iter().any(|line| has(line, depth - 1, test)))
}

/// The parts of a command line.
#[derive(Default)]
struct Read {
    /// Its commands, as words.
    commands: Vec<Vec<String>>,
    /// Command lines in quotes.
    inner: Vec<String>,
}

/// Reads a command line. Quoted text is a word or part of one; comments and here-documents are skipped.
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
                // The line continues.
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
                    documents.push(marker(&mut rest).0);
                }
            }
            (None, '(') if rest.next_if_eq(&'(').is_some() => {
                // In arithmetic, `<<` starts no here-document.
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

/// The text up to the bracket that closes an open one. Brackets in quotes and here-documents do not count.
fn until_closed(rest: &mut Rest<'_>) -> String {
    let mut depth = 1;
    let mut text = String::new();
    let mut documents: Vec<String> = Vec::new();
    while let Some(character) = rest.next() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\\' => {
                text.push(character);
                text.extend(rest.next());
                continue;
            }
            '\'' | '"' => {
                text.push(character);
                quoted(rest, character, &mut text);
                continue;
            }
            '<' if rest.peek() == Some(&'<') => {
                rest.next();
                text.push_str("<<");
                if rest.next_if_eq(&'<').is_some() {
                    text.push('<');
                } else {
                    let (marker, spelled) = marker(rest);
                    text.push_str(&spelled);
                    documents.push(marker);
                }
                continue;
            }
            '\n' => {
                text.push(character);
                for document in documents.drain(..) {
                    text.push_str(&skip(rest, &document));
                }
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        text.push(character);
    }
    text
}

/// Copies quoted text with its closing quote.
fn quoted(rest: &mut Rest<'_>, quote: char, text: &mut String) {
    while let Some(character) = rest.next() {
        text.push(character);
        match character {
            '\\' if quote == '"' => text.extend(rest.next()),
            '$' if quote == '"' && rest.next_if_eq(&'(').is_some() => {
                text.push('(');
                text.push_str(&until_closed(rest));
                text.push(')');
            }
            _ if character == quote => return,
            _ => {}
        }
    }
}

/// The line that ends a here-document, and how it is spelled.
fn marker(rest: &mut Rest<'_>) -> (String, String) {
    let mut spelled = String::new();
    while let Some(next) = rest.next_if(|next| matches!(next, '-' | ' ' | '\t')) {
        spelled.push(next);
    }
    let quote = rest.next_if(|next| matches!(next, '"' | '\''));
    let mut marker = String::new();
    let is_end = |next: &char| match quote {
        Some(quote) => *next == quote,
        None => next.is_whitespace() || matches!(next, ';' | '&' | '|' | '>' | '<' | ')'),
    };
    while let Some(next) = rest.next_if(|next| !is_end(next)) {
        marker.push(next);
    }
    spelled.extend(quote);
    spelled.push_str(&marker);
    if quote.is_some() {
        spelled.extend(rest.next());
    }
    marker.retain(|character| character != '\\');
    (marker, spelled)
}

/// Skips a here-document and returns it.
fn skip(rest: &mut Rest<'_>, marker: &str) -> String {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        while let Some(next) = rest.next_if(|next| *next != '\n') {
            line.push(next);
        }
        text.push_str(&line);
        let end = rest.next();
        text.extend(end);
        if end.is_none() || line.trim() == marker {
            return text;
        }
    }
}

/// What may precede a command: shell keywords, and programs that run another.
const BEFORE: [&str; 19] = [
    "env", "sudo", "time", "timeout", "nice", "stdbuf", "command", "exec", "nohup", "if", "then",
    "elif", "else", "while", "until", "do", "!", "$", "xargs",
];

fn has_alone(words: &[&str], depth: u32, test: Test<'_>) -> bool {
    // Assignments, options, their values and numbers belong to the program that runs the command.
    let mut start = 0;
    while let Some(word) = words.get(start) {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let has_value = start > 0 && matches!(*word, "-u" | "-g" | "-k" | "-n" | "-C" | "-S");
        let is_before = word.contains('=') || word.starts_with('-') || is_number;
        if !is_before && !BEFORE.contains(&file_name(word)) {
            break;
        }
        start += if has_value { 2 } else { 1 };
    }
    let Some((program, arguments)) = words.get(start..).and_then(<[&str]>::split_first) else {
        return false;
    };
    match file_name(program) {
        "sh" | "bash" | "zsh" | "dash" if depth > 0 => {
            let is_option = |word: &&&str| word.starts_with('-') && word.contains('c');
            let at = arguments.iter().position(|word| is_option(&word));
            let line = at.and_then(|at| arguments.get(at + 1));
            line.is_some_and(|line| has(line, depth - 1, test))
        }
        "eval" if depth > 0 => has(&arguments.join(" "), depth - 1, test),
        name => test(name, arguments),
    }
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn ships_alone(program: &str, arguments: &[&str]) -> bool {
    match program {
        "git" => matches!(verb(arguments), Some("push" | "send-pack")),
        "gh" => {
            let mut words = arguments.iter().skip_while(|word| **word != "pr");
            let is_about_one = words.next().is_some();
            is_about_one && matches!(words.next(), Some(&("create" | "new" | "merge")))
        }
        "hub" => matches!(arguments, ["pull-request" | "push", ..]),
        _ => false,
    }
}

/// Whether a command changes what is checked out.
fn commits_alone(program: &str, arguments: &[&str]) -> bool {
    let verbs = [
        "commit",
        "merge",
        "rebase",
        "cherry-pick",
        "revert",
        "am",
        "pull",
    ];
    program == "git" && verb(arguments).is_some_and(|verb| verbs.contains(&verb))
}

/// The first argument of git that is neither an option nor its value.
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
mod tests;
