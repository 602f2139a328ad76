//! The hooks in parsed settings, and the steps that bring them up to date.

use std::collections::{BTreeMap, HashMap, HashSet};

use ckpt::document::{Object as JsonObject, Value as Json};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

use super::entry::{self, Shape};
use super::flaws::is_hindrance;
use super::hooks::{Registration, registrations};
use super::places::Place;
use super::program::{Program, is_ours};
use super::source::{Change, Item, List, Source, member};
use crate::agent::Agent;

/// What is changed at once. The text is read anew before the next, so that changes never meet.
pub(super) type Step = fn(&Settings<'_, '_>, &Place, &Program) -> Vec<Change>;

/// What brings settings up to date, one after the other.
pub(super) const STEPS: [Step; 6] = [
    without_strays,
    without_arguments,
    without_matchers,
    without_hindrances,
    with_present_values,
    with_missing_hooks,
];

/// Settings, and the hooks in them that call `ckpt`.
pub(super) struct Settings<'s, 't> {
    source: &'s Source<'t>,
    agent: Agent,
    pub(super) root: &'s Object<'t>,
    hooks: Option<(&'s ObjectProp<'t>, &'s Object<'t>)>,
    pub(super) ours: Vec<Hook<'s, 't>>,
    /// How many of ours each entry has, by the numbers of the event and the entry.
    in_entry: HashMap<(usize, usize), usize>,
    /// The one hook of an event that stays, by its number among ours.
    kept: HashMap<&'static str, usize>,
}

/// A hook that calls `ckpt`.
pub(super) struct Hook<'s, 't> {
    at: At,
    pub(super) event: &'s ObjectProp<'t>,
    listed: &'s Array<'t>,
    /// What is listed for the event: a group, or the handler itself.
    pub(super) entry: &'s Object<'t>,
    pub(super) handler: &'s Object<'t>,
    group: Option<Group<'s, 't>>,
    pub(super) words: Vec<String>,
}

/// Where a hook is: by the numbers of the event in `hooks`, of the entry in the event, of the handler in the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct At {
    event: usize,
    entry: usize,
    handler: usize,
}

/// The handlers that share a matcher.
#[derive(Clone, Copy)]
struct Group<'s, 't> {
    member: &'s ObjectProp<'t>,
    handlers: &'s Array<'t>,
}

impl Hook<'_, '_> {
    pub(super) fn registration(&self, agent: Agent) -> Option<&'static Registration> {
        let mut known = registrations(agent).iter();
        known.find(|known| known.event == self.event.name.as_str())
    }
}

impl<'s, 't> Settings<'s, 't> {
    /// The hooks of an agent in a source; nothing when it is no object.
    pub(super) fn of(source: &'s Source<'t>, agent: Agent) -> Option<Self> {
        let root = source.root()?.as_object()?;
        let hooks = member(root, "hooks").and_then(|hooks| Some((hooks, hooks.value.as_object()?)));
        let mut settings = Self {
            source,
            agent,
            root,
            hooks,
            ours: Vec::new(),
            in_entry: HashMap::new(),
            kept: HashMap::new(),
        };
        if let Some((_, hooks)) = hooks {
            let events = || hooks.properties.iter().enumerate();
            // Of members with the same name, only the last one counts.
            let last: HashMap<&str, usize> = events()
                .map(|(number, event)| (event.name.as_str(), number))
                .collect();
            for (number, event) in events() {
                if last[event.name.as_str()] == number {
                    settings.look_into(number, event);
                }
            }
        }
        for hook in &settings.ours {
            let entry = (hook.at.event, hook.at.entry);
            *settings.in_entry.entry(entry).or_default() += 1;
        }
        settings.kept = settings.found_kept();
        Some(settings)
    }

    fn look_into(&mut self, event_number: usize, event: &'s ObjectProp<'t>) {
        let Some(listed) = event.value.as_array() else {
            return;
        };
        for (entry_number, entry) in listed.elements.iter().enumerate() {
            let Some(entry) = entry.as_object() else {
                continue;
            };
            let group = match entry::shape(self.agent) {
                Shape::Flat => None,
                Shape::Groups => {
                    let group = member(entry, "hooks").and_then(|member| {
                        let handlers = member.value.as_array()?;
                        Some(Group { member, handlers })
                    });
                    // A group without handlers has nothing of ours in it.
                    if group.is_none() {
                        continue;
                    }
                    group
                }
            };
            let handlers: Vec<_> = match group {
                None => vec![Some(entry)],
                Some(group) => group
                    .handlers
                    .elements
                    .iter()
                    .map(Value::as_object)
                    .collect(),
            };
            for (number, handler) in handlers.into_iter().enumerate() {
                let Some(handler) = handler else {
                    continue;
                };
                let words = entry::words(self.agent, handler).unwrap_or_default();
                if is_ours(&words, self.agent) {
                    self.ours.push(Hook {
                        at: At {
                            event: event_number,
                            entry: entry_number,
                            handler: number,
                        },
                        event,
                        listed,
                        entry,
                        handler,
                        group,
                        words,
                    });
                }
            }
        }
    }

    /// Whether a hook is as it would be written, for the program that it calls.
    pub(super) fn is_current(&self, hook: &Hook<'_, '_>) -> bool {
        let Some(registration) = hook.registration(self.agent) else {
            return false;
        };
        let program = Program::new(hook.words[0].as_str());
        let wanted = entry::handler(self.agent, registration, &program);
        self.kept(registration)
            .is_some_and(|kept| kept.at == hook.at)
            && entry::matches(hook.entry, registration)
            && self.differing(hook.handler, &wanted).is_empty()
            && member(hook.handler, entry::ARGUMENTS).is_none()
            && !hook
                .handler
                .properties
                .iter()
                .any(|member| is_hindrance(self.agent, member))
    }

    /// The first hook of each event that can stay. Under a matcher that is not the right one, and not ours alone to change,
    /// it cannot.
    fn found_kept(&self) -> HashMap<&'static str, usize> {
        let mut kept = HashMap::new();
        for (number, hook) in self.ours.iter().enumerate() {
            if let Some(registration) = hook.registration(self.agent)
                && (entry::matches(hook.entry, registration) || self.is_alone(hook))
            {
                kept.entry(registration.event).or_insert(number);
            }
        }
        kept
    }

    /// The one hook of an event that stays.
    fn kept(&self, registration: &Registration) -> Option<&Hook<'s, 't>> {
        let number = self.kept.get(registration.event)?;
        Some(&self.ours[*number])
    }

    /// The hooks that stay, with what they are to be.
    fn all_kept(&self) -> impl Iterator<Item = (&Hook<'s, 't>, &'static Registration)> {
        let registrations = registrations(self.agent).iter();
        registrations.filter_map(|registration| Some((self.kept(registration)?, registration)))
    }

    /// Whether nobody else's handlers share the entry.
    fn is_alone(&self, hook: &Hook<'_, '_>) -> bool {
        let Some(group) = hook.group else {
            return true;
        };
        let in_group = self.in_entry.get(&(hook.at.event, hook.at.entry));
        in_group == Some(&group.handlers.elements.len())
    }

    /// The members of a handler that do not say what is wanted.
    fn differing<'w>(
        &self,
        handler: &Object<'_>,
        wanted: &'w JsonObject,
    ) -> Vec<(&'w str, &'w Json)> {
        let differs = |(name, wanted): &(&str, &Json)| {
            member(handler, name).is_none_or(|found| !entry::says(name, &found.value, wanted))
        };
        wanted.iter().filter(differs).collect()
    }

    /// An object with members that say what is wanted.
    fn with_values(&self, object: &Object<'_>, wanted: &JsonObject) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut missing = Vec::new();
        for (name, value) in self.differing(object, wanted) {
            match member(object, name) {
                Some(found) => changes.push(self.source.instead(&found.value, value)),
                None => missing.push(Item::Member(name, value.clone())),
            }
        }
        changes.extend(self.source.with(&List::of_object(object), &missing));
        changes
    }

    /// Without all hooks, and without what is empty then.
    pub(super) fn without_ours(&self) -> Vec<Change> {
        self.without(|_| true)
    }

    /// Without some hooks, and without what is empty then. What has a comment in it stays.
    fn without(&self, is_gone: impl Fn(&Hook<'_, '_>) -> bool) -> Vec<Change> {
        let mut by_event: BTreeMap<usize, Vec<&Hook<'s, 't>>> = BTreeMap::new();
        for hook in self.ours.iter().filter(|hook| is_gone(hook)) {
            by_event.entry(hook.at.event).or_default().push(hook);
        }
        let Some((hooks_member, hooks)) = self.hooks else {
            return Vec::new();
        };
        let repeated_events = repeated(hooks);
        let mut changes = Vec::new();
        let mut empty = HashSet::new();
        for (number, gone) in by_event {
            let is_only = !repeated_events.contains(gone[0].event.name.as_str());
            match self.without_entries(&gone) {
                Rest::Nothing if is_only => drop(empty.insert(number)),
                Rest::Nothing => {
                    let list = List::of_array_in(gone[0].event, gone[0].listed);
                    changes.extend(self.source.without(&list, |_| true));
                }
                Rest::Something(within) => changes.extend(within),
            }
        }
        let list = List::of_object_in(hooks_member, hooks);
        let is_empty = !empty.is_empty() && empty.len() == hooks.properties.len();
        if is_empty && !self.source.has_comments(&list) && !repeated(self.root).contains("hooks") {
            let members = &self.root.properties;
            let is_hooks = |number: usize| members[number].name.as_str() == "hooks";
            return self.source.without(&List::of_root(self.root), is_hooks);
        }
        changes.extend(self.source.without(&list, |event| empty.contains(&event)));
        changes
    }

    /// Without some hooks of one event.
    fn without_entries(&self, gone: &[&Hook<'_, '_>]) -> Rest {
        let mut by_entry: BTreeMap<usize, Vec<&Hook<'_, '_>>> = BTreeMap::new();
        for hook in gone {
            by_entry.entry(hook.at.entry).or_default().push(hook);
        }
        let mut changes = Vec::new();
        let mut empty = HashSet::new();
        for (number, gone) in by_entry {
            match gone[0].group {
                Some(group) if gone.len() < group.handlers.elements.len() => {
                    let list = List::of_array_in(group.member, group.handlers);
                    let gone: HashSet<usize> = gone.iter().map(|hook| hook.at.handler).collect();
                    let is_gone = |number| gone.contains(&number);
                    changes.extend(self.source.without(&list, is_gone));
                }
                _ => drop(empty.insert(number)),
            }
        }
        let list = List::of_array_in(gone[0].event, gone[0].listed);
        if empty.len() == gone[0].listed.elements.len() && !self.source.has_comments(&list) {
            return Rest::Nothing;
        }
        changes.extend(self.source.without(&list, |entry| empty.contains(&entry)));
        Rest::Something(changes)
    }
}

/// The names that more than one member has. Where the last is gone, another one would count.
fn repeated<'o>(object: &'o Object<'_>) -> HashSet<&'o str> {
    let mut seen = HashSet::new();
    let names = object.properties.iter().map(|member| member.name.as_str());
    names.filter(|name| !seen.insert(*name)).collect()
}

/// What is left where something was taken away.
enum Rest {
    Nothing,
    Something(Vec<Change>),
}

/// Takes away second hooks of an event, those of events that are of no concern any more, and those that cannot stay where
/// they are.
fn without_strays(settings: &Settings<'_, '_>, _: &Place, _: &Program) -> Vec<Change> {
    let kept: Vec<At> = settings.all_kept().map(|(hook, _)| hook.at).collect();
    settings.without(|hook| !kept.contains(&hook.at))
}

/// Puts arguments that stand by themselves into the command line. Both at once: a command without its arguments would not be
/// known as ours any more.
fn without_arguments(settings: &Settings<'_, '_>, _: &Place, _: &Program) -> Vec<Change> {
    let mut changes = Vec::new();
    for (hook, registration) in settings.all_kept() {
        let program = Program::new(hook.words[0].as_str());
        let wanted = entry::handler(settings.agent, registration, &program);
        let command = member(hook.handler, "command").zip(wanted.get("command"));
        let (Some((command, wanted)), Some(_)) = (command, member(hook.handler, entry::ARGUMENTS))
        else {
            continue;
        };
        changes.push(settings.source.instead(&command.value, wanted));
        let members = &hook.handler.properties;
        let is_gone = |number: usize| members[number].name.as_str() == entry::ARGUMENTS;
        let list = List::of_object(hook.handler);
        changes.extend(settings.source.without(&list, is_gone));
    }
    changes
}

/// Takes away matchers where all is to be told.
fn without_matchers(settings: &Settings<'_, '_>, _: &Place, _: &Program) -> Vec<Change> {
    let kept = settings.all_kept();
    let wrong = kept.filter(|(hook, registration)| {
        registration.matcher.is_none() && !entry::matches(hook.entry, registration)
    });
    let changes = wrong.flat_map(|(hook, _)| {
        let members = &hook.entry.properties;
        let is_matcher = |number: usize| members[number].name.as_str() == "matcher";
        settings
            .source
            .without(&List::of_object(hook.entry), is_matcher)
    });
    changes.collect()
}

/// Takes away what keeps the agent from calling, or from waiting.
fn without_hindrances(settings: &Settings<'_, '_>, _: &Place, _: &Program) -> Vec<Change> {
    let changes = settings.all_kept().flat_map(|(hook, _)| {
        let members = &hook.handler.properties;
        let is_gone = |number: usize| is_hindrance(settings.agent, &members[number]);
        settings
            .source
            .without(&List::of_object(hook.handler), is_gone)
    });
    changes.collect()
}

/// Has matchers and handlers say what they are to say.
fn with_present_values(
    settings: &Settings<'_, '_>,
    place: &Place,
    program: &Program,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (hook, registration) in settings.all_kept() {
        let mut wanted = JsonObject::new();
        if let Some(matcher) = registration.matcher {
            wanted.set("matcher", matcher);
        }
        let handler = entry::handler(place.agent, registration, program);
        match hook.group {
            Some(_) => {
                changes.extend(settings.with_values(hook.entry, &wanted));
                changes.extend(settings.with_values(hook.handler, &handler));
            }
            None => {
                wanted.merge(handler);
                changes.extend(settings.with_values(hook.entry, &wanted));
            }
        }
    }
    changes
}

/// Adds the hooks that are not there.
fn with_missing_hooks(
    settings: &Settings<'_, '_>,
    place: &Place,
    program: &Program,
) -> Vec<Change> {
    let source = settings.source;
    let mut changes = Vec::new();
    let mut members = Vec::new();
    if let Some(version) = entry::version(place)
        && member(settings.root, "version").is_none()
    {
        members.push(Item::Member("version", version.into()));
    }
    let missing = registrations(place.agent)
        .iter()
        .filter(|registration| settings.kept(registration).is_none());
    let mut events = Vec::new();
    for registration in missing {
        let entry = entry::entry(place.agent, registration, program);
        let event = settings
            .hooks
            .and_then(|(_, hooks)| member(hooks, registration.event));
        match event.and_then(|event| Some((event, event.value.as_array()?))) {
            None => events.push((registration.event, Json::from(vec![entry]))),
            Some((event, listed)) => {
                let list = List::of_array_in(event, listed);
                changes.extend(source.with(&list, &[Item::Element(entry)]));
            }
        }
    }
    match settings.hooks {
        Some((member, hooks)) => {
            let events = events
                .into_iter()
                .map(|(name, entries)| Item::Member(name, entries));
            let events: Vec<Item<'_>> = events.collect();
            changes.extend(source.with(&List::of_object_in(member, hooks), &events));
        }
        None => members.push(Item::Member(
            "hooks",
            Json::Object(events.into_iter().collect()),
        )),
    }
    changes.extend(source.with(&List::of_root(settings.root), &members));
    changes
}
