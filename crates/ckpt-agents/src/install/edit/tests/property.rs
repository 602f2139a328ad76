//! Arbitrary settings in arbitrary layouts: the hooks of others are preserved, and ours are added and removed
//! completely.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::{added, found, removed};
use super::place;
use crate::agent::Agent;
use crate::install::entry::{Shape, shape};
use crate::install::{Program, registrations};

/// A JSON value. Of members with the same name, the last one counts.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Plain(String),
    Text(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn object<const N: usize>(members: [(&str, Tree); N]) -> Self {
        Self::Object(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
        )
    }

    fn get(&self, name: &str) -> Option<&Tree> {
        let Self::Object(members) = self else {
            return None;
        };
        let mut named = members.iter().rev().filter(|member| member.0 == name);
        named.next().map(|member| &member.1)
    }

    /// The value as a program reads it: without repeated members, in a fixed order.
    fn meaning(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::meaning).collect()),
            Self::Object(members) => {
                let members = members
                    .into_iter()
                    .map(|(name, value)| (name, value.meaning()));
                let last: std::collections::BTreeMap<_, _> = members.collect();
                Self::Object(last.into_iter().collect())
            }
            plain => plain,
        }
    }

    fn read(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let value = parsed
            .unwrap_or_else(|error| panic!("{error}:\n{text}"))
            .value;
        Self::of(&value.unwrap())
    }

    fn of(value: &Ast<'_>) -> Self {
        match value {
            Ast::StringLit(text) => Self::Text(text.value.to_string()),
            Ast::NumberLit(number) => Self::Plain(number.value.to_owned()),
            Ast::BooleanLit(value) => Self::Plain(value.value.to_string()),
            Ast::NullKeyword(_) => Self::Plain("null".to_owned()),
            Ast::Array(array) => Self::List(array.elements.iter().map(Self::of).collect()),
            Ast::Object(object) => {
                let members = object.properties.iter();
                let members = members
                    .map(|member| (member.name.as_str().to_owned(), Self::of(&member.value)));
                Self::Object(members.collect())
            }
        }
    }

    /// Without the hooks that call `ckpt`, and without an empty `hooks`, empty events and empty groups.
    fn without_ours(mut self, agent: Agent) -> Self {
        let Self::Object(members) = &mut self else {
            return self;
        };
        for (name, hooks) in members.iter_mut() {
            if let ("hooks", Self::Object(events)) = (name.as_str(), hooks) {
                for (_, entries) in events.iter_mut() {
                    if let Self::List(entries) = entries {
                        entries.retain_mut(|entry| !is_emptied(entry, agent));
                    }
                }
                events.retain(|(_, entries)| *entries != Self::List(Vec::new()));
            }
        }
        members.retain(|(name, value)| name != "hooks" || *value != Self::Object(Vec::new()));
        members.retain(|(name, _)| name != "version");
        self
    }
}

fn is_emptied(entry: &mut Tree, agent: Agent) -> bool {
    if shape(agent) == Shape::Flat {
        return is_call(entry, agent);
    }
    let Tree::Object(members) = entry else {
        return false;
    };
    let Some((_, Tree::List(handlers))) = members.iter_mut().find(|member| member.0 == "hooks")
    else {
        return false;
    };
    let before = handlers.len();
    handlers.retain(|handler| !is_call(handler, agent));
    handlers.is_empty() && before > 0
}

fn is_call(handler: &Tree, agent: Agent) -> bool {
    let calls = |name| match handler.get(name) {
        Some(Tree::Text(line)) => {
            line.ends_with("ckpt") && handler.get("args").is_some()
                || line.contains("ckpt") && line.ends_with(&format!(" hook {agent}"))
        }
        _ => false,
    };
    calls("command") || calls("bash")
}

fn text(value: &str) -> Tree {
    Tree::Text(value.to_owned())
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        select(vec!["null", "true", "-1.5e3", "10"])
            .prop_map(|plain| Tree::Plain(plain.to_owned())),
        "[a-z\"\\\\/{,\\u{e9}]{0,5}".prop_map(Tree::Text),
    ];
    leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Tree::List),
            prop::collection::vec(("[a-c]", inner), 0..3).prop_map(Tree::Object),
        ]
    })
}

fn call(agent: Agent) -> impl Strategy<Value = Tree> {
    let program = select(vec!["ckpt", "/old/bin/ckpt"]);
    let more = prop::option::of(any_tree());
    (program, any::<bool>(), more).prop_map(move |(program, exec, more)| {
        let line = format!("{program} hook {agent}");
        let mut call = match (agent, exec) {
            (Agent::Claude, true) => Tree::object([
                ("type", text("command")),
                ("command", text(program)),
                ("args", Tree::List(vec![text("hook"), text("claude")])),
            ]),
            (Agent::Copilot, true) => {
                Tree::object([("bash", text(&line)), ("timeoutSec", text("1"))])
            }
            _ => Tree::object([
                ("timeout", Tree::Plain("10".to_owned())),
                ("command", text(&line)),
            ]),
        };
        if let (Tree::Object(members), Some(more)) = (&mut call, more) {
            members.push(("more".to_owned(), more));
        }
        call
    })
}

fn handler(agent: Agent, with_ours: bool) -> BoxedStrategy<Tree> {
    let others = prop_oneof![
        Just(Tree::object([
            ("type", text("command")),
            ("command", text("echo ckpt"))
        ])),
        Just(Tree::object([("command", text("ckpt hook other"))])),
        any_tree(),
    ];
    if with_ours {
        prop_oneof![others, call(agent)].boxed()
    } else {
        others.boxed()
    }
}

fn entry(agent: Agent, with_ours: bool) -> BoxedStrategy<Tree> {
    let matcher = prop::option::of(select(vec![
        "",
        "*",
        "Bash",
        "Shell",
        "Bash|PowerShell|Agent|Task",
    ]));
    let with_matcher = |entry: Tree, matcher: Option<&str>| match (entry, matcher) {
        (Tree::Object(mut members), Some(matcher)) => {
            members.insert(0, ("matcher".to_owned(), text(matcher)));
            Tree::Object(members)
        }
        (entry, _) => entry,
    };
    match shape(agent) {
        Shape::Flat => (handler(agent, with_ours), matcher)
            .prop_map(move |(entry, matcher)| with_matcher(entry, matcher))
            .boxed(),
        Shape::Groups => {
            let handlers = prop::collection::vec(handler(agent, with_ours), 1..3);
            (handlers, matcher)
                .prop_map(move |(handlers, matcher)| {
                    let group = Tree::object([("hooks", Tree::List(handlers))]);
                    with_matcher(group, matcher)
                })
                .boxed()
        }
    }
}

/// Settings without empty lists and objects where hooks can be added.
fn settings(agent: Agent, with_ours: bool) -> impl Strategy<Value = Tree> {
    let mut events: Vec<&str> = registrations(agent).iter().map(|one| one.event).collect();
    events.push("Other");
    let entries = prop::collection::vec(entry(agent, with_ours), 1..4).prop_map(Tree::List);
    let events = prop::collection::vec((select(events).prop_map(str::to_owned), entries), 1..5);
    let hooks = prop::option::of(events.prop_map(Tree::Object));
    let others = prop::collection::vec(("[a-c]", any_tree()), 0..3);
    (others, hooks, any::<Index>()).prop_map(|(mut members, hooks, place)| {
        members.push(("version".to_owned(), Tree::Plain("1".to_owned())));
        if let Some(hooks) = hooks {
            let place = place.index(members.len() + 1);
            members.insert(place, ("hooks".to_owned(), hooks));
        }
        Tree::Object(members)
    })
}

/// Writes a tree with arbitrary space and comments between its tokens.
struct Writer<'c> {
    choices: std::iter::Cycle<std::slice::Iter<'c, u8>>,
    newline: &'static str,
    comments: usize,
    out: String,
}

impl Writer<'_> {
    fn choose(&mut self) -> u8 {
        self.choices.next().copied().unwrap_or_default()
    }

    fn trivia(&mut self) {
        let newline = self.newline;
        self.comments += 1;
        let number = self.comments;
        match self.choose() % 16 {
            0 | 1 => self.out.push(' '),
            2 => self.out.push('\t'),
            3..6 => self.out.push_str(&format!("{newline}    ")),
            6 => self.out.push_str(&format!(" /* <{number}> */ ")),
            7 => self.out.push_str(&format!("// <{number}>{newline}")),
            8 => self.out.push_str(&format!(
                "{newline}  // <{number}>{newline}  /*<{number}>*/"
            )),
            _ => {}
        }
    }

    fn write(&mut self, tree: &Tree) {
        match tree {
            Tree::Plain(plain) => self.out.push_str(plain),
            Tree::Text(text) => ckpt::document::escape_into(text, &mut self.out),
            Tree::List(items) => self.write_all("[]", items, Self::write),
            Tree::Object(members) => self.write_all("{}", members, |writer, (name, value)| {
                ckpt::document::escape_into(name, &mut writer.out);
                writer.trivia();
                writer.out.push(':');
                writer.trivia();
                writer.write(value);
            }),
        }
    }

    fn write_all<T>(&mut self, brackets: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.out.push_str(&brackets[..1]);
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.trivia();
                self.out.push(',');
            }
            self.trivia();
            write(self, item);
        }
        self.trivia();
        if !items.is_empty() && self.choose().is_multiple_of(4) {
            self.out.push(',');
            self.trivia();
        }
        self.out.push_str(&brackets[1..]);
    }
}

fn written(tree: &Tree, choices: &[u8]) -> String {
    let is_windows = choices.first().is_some_and(|choice| choice % 3 == 0);
    let mut writer = Writer {
        choices: choices.iter().cycle(),
        newline: if is_windows { "\r\n" } else { "\n" },
        comments: 0,
        out: if is_windows { "\u{feff}" } else { "" }.to_owned(),
    };
    writer.trivia();
    writer.write(tree);
    writer.trivia();
    writer.out
}

fn case(with_ours: bool) -> impl Strategy<Value = (Agent, Tree, Vec<u8>)> {
    select(Agent::ALL.to_vec()).prop_flat_map(move |agent| {
        let choices = prop::collection::vec(any::<u8>(), 1..60);
        (Just(agent), settings(agent, with_ours), choices)
    })
}

/// The numbers of all comments, in order.
fn comments(text: &str) -> Vec<&str> {
    text.split('<')
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn others_lose_nothing_and_ours_is_there_once_for_every_event((agent, tree, choices) in case(true)) {
        let text = written(&tree, &choices);
        let program = Program::new("/new place/ckpt");
        let with = added(&text, &place(agent), &program).unwrap();
        prop_assert_eq!(added(&with, &place(agent), &program).unwrap(), with.clone());

        let meaning = tree.clone().meaning().without_ours(agent);
        prop_assert_eq!(Tree::read(&with).meaning().without_ours(agent), meaning.clone(), "{}\n{}", text, with);

        let mut events: Vec<String> = Vec::new();
        for found in found(&with, agent) {
            prop_assert!(found.is_current && found.words[0] == "/new place/ckpt");
            events.push(found.event);
        }
        events.sort();
        let mut expected: Vec<_> = registrations(agent).iter().map(|one| one.event.to_owned()).collect();
        expected.sort();
        prop_assert_eq!(events, expected);

        for text in [&text, &with] {
            let without = removed(text, agent).unwrap();
            prop_assert!(found(&without, agent).is_empty());
            prop_assert_eq!(removed(&without, agent).unwrap(), without.clone());
            prop_assert_eq!(Tree::read(&without).meaning().without_ours(agent), meaning.clone(), "{}\n{}", text, without);
        }
    }

    #[test]
    fn where_there_was_nothing_of_ours_all_comes_back_to_the_byte((agent, tree, choices) in case(false)) {
        let text = written(&tree, &choices);
        let with = added(&text, &place(agent), &Program::new("ckpt")).unwrap();
        prop_assert_eq!(comments(&with), comments(&text));
        prop_assert_eq!(removed(&with, agent).unwrap(), text);
    }
}
