//! The edits that add hooks to settings, update them and remove them.

use std::collections::HashSet;

use ckpt::document::{Object as JsonObject, Value as Json};
use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::entry::{self, Shape};
use super::hooks::{Registration, registrations};
use super::places::Place;
use super::program::Program;
use super::settings::{Hook, Settings, differing, handlers};
use super::source::{Change, List, member, span};

type Step = fn(&Settings<'_, '_>, &Place, &Program) -> Vec<Change>;

/// The steps that bring settings up to date. The text is re-parsed in between, because both edit the ends of lists.
pub(super) const STEPS: [Step; 2] = [corrected, completed];

/// Removes surplus hooks and unwanted members, and corrects values. All in one step, because a command without its
/// arguments would no longer be recognised.
fn corrected(settings: &Settings<'_, '_>, place: &Place, program: &Program) -> Vec<Change> {
    let surplus = settings.ours.iter().filter(|hook| !hook.is_kept);
    let mut gone: HashSet<usize> = surplus.map(|hook| hook.handler.start()).collect();
    let mut changes = Vec::new();
    for (hook, registration) in settings.kept() {
        let members = hook.handler.properties.iter();
        let unwanted = members.filter(|member| settings.is_unwanted(member));
        gone.extend(unwanted.map(Ranged::start));
        if registration.matcher.is_none() && !entry::matches(hook.entry, registration) {
            let members = hook.entry.properties.iter();
            let matchers = members.filter(|member| member.name.as_str() == "matcher");
            gone.extend(matchers.map(Ranged::start));
        }
        for (object, wanted) in wanted(hook, registration, place, program) {
            let wrong = differing(object, &wanted)
                .filter_map(|(_, wanted, found)| Some((span(&found?.value), wanted.to_compact())));
            changes.extend(wrong);
            changes.extend(settings.source.without(&members_of(object), &gone));
        }
    }
    changes.extend(without(settings, gone));
    changes
}

/// Adds the members and hooks that are missing.
fn completed(settings: &Settings<'_, '_>, place: &Place, program: &Program) -> Vec<Change> {
    let source = settings.source;
    let mut changes = Vec::new();
    for (hook, registration) in settings.kept() {
        for (object, wanted) in wanted(hook, registration, place, program) {
            let missing = differing(object, &wanted).filter(|(.., found)| found.is_none());
            let missing = missing.map(|(name, wanted, _)| (name, wanted.clone()));
            let missing = Json::Object(missing.collect());
            changes.extend(source.with(&members_of(object), &missing));
        }
    }
    let mut members = JsonObject::new();
    if let Some(version) = entry::version(place)
        && member(settings.root, "version").is_none()
    {
        members.set("version", version);
    }
    let mut events = JsonObject::new();
    for registration in registrations(place.agent) {
        if settings.kept().any(|(_, kept)| kept == registration) {
            continue;
        }
        let entries = vec![entry::entry(place.agent, registration, program)];
        let event = settings
            .hooks
            .and_then(|(_, hooks)| member(hooks, registration.event));
        match event.and_then(|event| Some((event, event.value.as_array()?))) {
            None => events.set(registration.event, entries),
            Some((event, listed)) => {
                let list = List::elements(listed, event.start());
                changes.extend(source.with(&list, &entries.into()));
            }
        }
    }
    match settings.hooks {
        Some((member, hooks)) => {
            let list = List::members(hooks, Some(member.start()));
            changes.extend(source.with(&list, &events.into()));
        }
        None => members.set("hooks", events),
    }
    changes.extend(source.with(&List::members(settings.root, None), &members.into()));
    changes
}

/// Removes all hooks, and everything that this leaves empty.
pub(super) fn without_ours(settings: &Settings<'_, '_>) -> Vec<Change> {
    let ours = settings.ours.iter();
    without(settings, ours.map(|hook| hook.handler.start()).collect())
}

/// Removes the handlers that start at these offsets, then groups, events and `hooks` that are empty. Events and `hooks`
/// stay if they hold a comment, or if removing them would uncover an earlier member with the same name.
fn without(settings: &Settings<'_, '_>, mut gone: HashSet<usize>) -> Vec<Change> {
    let Some((hooks_member, hooks)) = settings.hooks else {
        return Vec::new();
    };
    let source = settings.source;
    let mut changes = Vec::new();
    let mut remove = |list: &List, owner: usize, can_go: bool| match can_go && list.is_all_in(&gone)
    {
        true => drop(gone.insert(owner)),
        false => changes.extend(source.without(list, &gone)),
    };
    let repeated_events = repeated(hooks);
    for event in &hooks.properties {
        let Some(listed) = event.value.as_array() else {
            continue;
        };
        if entry::shape(settings.agent) == Shape::Groups {
            for entry in listed.elements.iter().filter_map(|entry| entry.as_object()) {
                if let Some((member, handlers)) = handlers(entry) {
                    let list = List::elements(handlers, member.start());
                    remove(&list, entry.start(), true);
                }
            }
        }
        let list = List::elements(listed, event.start());
        let is_only = !repeated_events.contains(event.name.as_str());
        remove(&list, event.start(), is_only && !source.has_comments(&list));
    }
    let list = List::members(hooks, Some(hooks_member.start()));
    let is_only = !repeated(settings.root).contains("hooks");
    remove(
        &list,
        hooks_member.start(),
        is_only && !source.has_comments(&list),
    );
    changes.extend(source.without(&List::members(settings.root, None), &gone));
    changes
}

/// The names that occur more than once.
fn repeated<'o>(object: &'o Object<'_>) -> HashSet<&'o str> {
    let mut seen = HashSet::new();
    let names = object.properties.iter().map(|member| member.name.as_str());
    names.filter(|name| !seen.insert(*name)).collect()
}

/// The objects of a hook, and the members that each must have.
fn wanted<'s, 't>(
    hook: &Hook<'s, 't>,
    registration: &Registration,
    place: &Place,
    program: &Program,
) -> Vec<(&'s Object<'t>, JsonObject)> {
    let mut matcher = JsonObject::new();
    if let Some(tools) = registration.matcher {
        matcher.set("matcher", tools);
    }
    let handler = entry::handler(place.agent, registration, program);
    match entry::shape(place.agent) {
        Shape::Groups => vec![(hook.entry, matcher), (hook.handler, handler)],
        Shape::Flat => {
            matcher.merge(handler);
            vec![(hook.entry, matcher)]
        }
    }
}

/// The members of an object that is an element of an array.
fn members_of(object: &Object<'_>) -> List {
    List::members(object, Some(object.start()))
}
