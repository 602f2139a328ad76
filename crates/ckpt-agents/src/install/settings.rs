//! Finds the hooks that call `ckpt` in parsed settings, and decides which of them stay.

use std::collections::HashMap;

use ckpt::document::{Object as JsonObject, Value as Json};
use jsonc_parser::ast::{Array, Object, ObjectProp};

use super::entry::{self, Shape};
use super::flaws::is_hindrance;
use super::hooks::{Registration, registrations};
use super::program::{Program, is_ours};
use super::source::{Source, member};
use crate::agent::Agent;

/// Settings, and the hooks in them that call `ckpt`.
pub(super) struct Settings<'s, 't> {
    pub(super) source: &'s Source<'t>,
    pub(super) agent: Agent,
    pub(super) root: &'s Object<'t>,
    pub(super) hooks: Option<(&'s ObjectProp<'t>, &'s Object<'t>)>,
    pub(super) ours: Vec<Hook<'s, 't>>,
}

/// A hook that calls `ckpt`.
pub(super) struct Hook<'s, 't> {
    pub(super) event: &'s str,
    pub(super) registration: Option<&'static Registration>,
    /// The element listed for the event: a group of handlers, or the handler itself.
    pub(super) entry: &'s Object<'t>,
    pub(super) handler: &'s Object<'t>,
    pub(super) words: Vec<String>,
    /// Whether this is the one hook of its event that stays.
    pub(super) is_kept: bool,
}

impl<'s, 't> Settings<'s, 't> {
    /// The hooks of an agent; nothing if the settings are not an object.
    pub(super) fn of(source: &'s Source<'t>, agent: Agent) -> Option<Self> {
        let root = source.object()?;
        let hooks = member(root, "hooks").and_then(|hooks| Some((hooks, hooks.value.as_object()?)));
        let mut settings = Self {
            source,
            agent,
            root,
            hooks,
            ours: Vec::new(),
        };
        let events = hooks.map_or(&[][..], |(_, hooks)| &hooks.properties);
        // Of members with the same name, only the last one counts.
        let numbered = || events.iter().enumerate();
        let last: HashMap<&str, usize> = numbered()
            .map(|(number, event)| (event.name.as_str(), number))
            .collect();
        for (number, event) in numbered() {
            let name = event.name.as_str();
            if let Some(listed) = event.value.as_array()
                && last[name] == number
            {
                settings.look_into(name, listed);
            }
        }
        Some(settings)
    }

    fn look_into(&mut self, event: &'s str, listed: &'s Array<'t>) {
        let mut known = registrations(self.agent).iter();
        let registration = known.find(|known| known.event == event);
        let mut has_kept = false;
        for entry in listed.elements.iter().filter_map(|entry| entry.as_object()) {
            let handlers: Vec<_> = match entry::shape(self.agent) {
                Shape::Flat => vec![Some(entry)],
                Shape::Groups => handlers(entry)
                    .map_or(&[][..], |(_, handlers)| &handlers.elements)
                    .iter()
                    .map(|handler| handler.as_object())
                    .collect(),
            };
            let calls = handlers.iter().flatten().filter_map(|handler| {
                let words = entry::words(self.agent, handler)?;
                is_ours(&words, self.agent).then_some((*handler, words))
            });
            let calls: Vec<_> = calls.collect();
            // A wrong matcher can be changed only if the group has no handlers of others.
            let is_alone = calls.len() == handlers.len();
            let can_stay = registration
                .is_some_and(|registration| is_alone || entry::matches(entry, registration));
            for (handler, words) in calls {
                self.ours.push(Hook {
                    event,
                    registration,
                    entry,
                    handler,
                    words,
                    is_kept: can_stay && !has_kept,
                });
                has_kept |= can_stay;
            }
        }
    }

    /// The hooks that stay.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&Hook<'s, 't>, &'static Registration)> {
        let kept = self.ours.iter().filter(|hook| hook.is_kept);
        kept.filter_map(|hook| Some((hook, hook.registration?)))
    }

    /// Whether a hook is exactly what would be written, given the program that it calls.
    pub(super) fn is_current(&self, hook: &Hook<'_, '_>) -> bool {
        let Some(registration) = hook.registration else {
            return false;
        };
        let program = Program::new(hook.words[0].as_str());
        let wanted = entry::handler(self.agent, registration, &program);
        hook.is_kept
            && entry::matches(hook.entry, registration)
            && differing(hook.handler, &wanted).next().is_none()
            && !hook
                .handler
                .properties
                .iter()
                .any(|member| self.is_unwanted(member))
    }

    /// Whether a member of a handler must be removed.
    pub(super) fn is_unwanted(&self, member: &ObjectProp<'_>) -> bool {
        member.name.as_str() == entry::ARGUMENTS || is_hindrance(self.agent, member)
    }
}

/// The handlers of a group, and the member that holds them.
pub(super) fn handlers<'s, 't>(
    entry: &'s Object<'t>,
) -> Option<(&'s ObjectProp<'t>, &'s Array<'t>)> {
    let member = member(entry, "hooks")?;
    Some((member, member.value.as_array()?))
}

/// The wanted members that an object lacks or has with another value, and what it has instead.
pub(super) fn differing<'o, 't, 'w>(
    object: &'o Object<'t>,
    wanted: &'w JsonObject,
) -> impl Iterator<Item = (&'w str, &'w Json, Option<&'o ObjectProp<'t>>)> {
    let members = wanted
        .iter()
        .map(move |(name, wanted)| (name, wanted, member(object, name)));
    members.filter(|(name, wanted, found)| {
        found.is_none_or(|found| !entry::says(name, &found.value, wanted))
    })
}
