//! What may be printed: nothing private, and no text of the clone that passes for ours.

use serde_json::Value;

use super::{Clone, Ended, OVERRIDE, SECRET, TOKEN};

impl Clone {
    /// Checks what a command printed.
    pub(super) fn judge_text(&mut self, ended: &Ended, is_hook: bool) {
        let name = &ended.name;
        let all = ended.both();
        for secret in [SECRET, TOKEN] {
            if all.contains(secret) {
                self.fault(name, format!("prints what is private: {all}"));
            }
        }
        for never in self.wishes.never.clone() {
            if all.contains(&never) {
                self.fault(name, format!("says {never:?}: {all}"));
            }
        }
        let answer: Option<Value> = serde_json::from_str(&ended.stdout).ok();
        let mut said = Vec::new();
        match &answer {
            Some(answer) => strings(answer, &mut said),
            None => said.push(all.clone()),
        }
        if is_hook && answer.is_none() && !ended.stdout.trim().is_empty() {
            self.fault(name, format!("answers no JSON: {}", ended.stdout));
        }
        for line in said.iter().flat_map(|text| text.lines()) {
            if has_bare_shell_word(line) {
                self.fault(
                    name,
                    format!("suggests a command that runs another: {line}"),
                );
            }
        }
        // An agent reads what is in the answer; a program that asked for JSON takes it as data.
        let mut texts = if is_hook { said } else { Vec::new() };
        texts.push(all);
        // Tables and diffs have tabs.
        let tabs =
            name.starts_with("list") || name.starts_with("log") || name.contains("--dry-run");
        for text in texts {
            if let Some(character) = text
                .chars()
                .find(|c| is_invisible(*c) && !(tabs && *c == '\t'))
            {
                self.fault(
                    name,
                    format!("prints U+{:04X}: {text}", u32::from(character)),
                );
            }
            let mut lines = text.lines();
            if lines.any(|line| line.trim_start().starts_with(OVERRIDE)) {
                self.fault(name, format!("lets the clone begin a line: {text}"));
            }
        }
    }
}

/// Whether a character is invisible, or steers a terminal.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && c != '\n'
}

/// Whether a suggested command has an unquoted word that a shell would run.
pub(crate) fn has_bare_shell_word(line: &str) -> bool {
    const COMMANDS: [&str; 14] = [
        "ckpt plan ",
        "ckpt gate ",
        "ckpt show ",
        "ckpt resume ",
        "ckpt pipeline ",
        "ckpt phase ",
        "ckpt start ",
        "ckpt validate ",
        "ckpt log ",
        "ckpt complete ",
        "ckpt abandon ",
        "ckpt handoff ",
        "git add ",
        "git rm ",
    ];
    COMMANDS.iter().any(|command| {
        let Some(at) = line.find(command) else {
            return false;
        };
        let rest = &line[at..];
        ["$(touch", "`touch"].iter().any(|word| {
            let Some(word) = rest.find(word) else {
                return false;
            };
            // An escaped quote neither opens nor closes.
            let before = rest[..word].replace("\\'", "");
            !before.contains(". ") && before.matches('\'').count().is_multiple_of(2)
        })
    })
}

/// Collects every text in an answer.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                strings(value, found);
            }
        }
        _ => {}
    }
}
