//! `ckpt init --uninstall`

use std::collections::HashSet;
use std::path::Path;

use ckpt_agents::Agent;
use ckpt_agents::install::{Place, Scope, holds_ours, servers_file, settings_file, stripped};

use super::files::{Wanted, set_mode};
use super::receipt::{Change, Receipt};
use super::{Init, Site, command_to_undo, instructions, merge_driver, pre_push, remedy, skills};
use crate::failure::{Exit, Failure};

/// The files as they were before `init`, as far as that is known.
pub(super) fn wanted(
    site: &Site<'_>,
    init: &Init,
    receipt: &Receipt,
    notes: &mut Vec<String>,
) -> Result<Vec<Wanted>, Failure> {
    let mut wanted = Vec::new();
    for agent in Agent::ALL {
        if !init.agent.is_empty() && !init.agent.contains(&agent) {
            continue;
        }
        for scope in scopes(init, site.scope) {
            let places = [
                Some(settings_file(agent, scope)),
                servers_file(agent, scope),
            ];
            for place in places.into_iter().flatten() {
                wanted.extend(settings(site, &place, scope, receipt)?);
            }
        }
    }
    // Documents are shared by all agents, so they stay if only some agents are removed.
    if init.agent.is_empty() {
        let settings: Vec<String> = wanted.iter().map(|file| file.name.clone()).collect();
        let others = receipt.files.iter();
        for change in others.filter(|change| !settings.contains(&change.path)) {
            let is_local = site.scope != Scope::User;
            let is_possible = match is_local {
                true => site.grounds.is_possible(&change.path),
                false => skills::is_users(&site.grounds, &change.path),
            };
            if is_local && !is_possible && pre_push::is_in_hooks_path(&site.grounds, change) {
                if let Some(directory) = Path::new(&change.path).parent() {
                    wanted.extend(pre_push::taken_out(&site.grounds, directory)?);
                }
                continue;
            }
            if !is_possible {
                notes.push(format!(
                    "{} was not changed by init, so it stays",
                    change.path
                ));
                continue;
            }
            let path = site.grounds.root.join(&change.path);
            let Some(text) = site.grounds.text(&change.path, &path)? else {
                continue;
            };
            let original = match change.path.as_str() {
                path if merge_driver::is_in(&site.grounds, path) => {
                    merge_driver::original(change, &text)
                }
                path if instructions::is_in(path) => instructions::original(change, &text),
                _ => change.undone(&text),
            };
            if original.is_none() {
                notes.push(format!(
                    "{} has been changed since, so it stays",
                    change.path
                ));
            }
            let after = match original {
                Some(original) if change.created && original.is_empty() => None,
                Some(original) => Some(original),
                None => Some(text.clone()),
            };
            let about = match after.as_ref() {
                after if change.is_as_before(after.map(String::as_str)) => {
                    "back to its original state"
                }
                after if after == Some(&text) => "kept, because others changed it",
                _ => "without the parts added by ckpt",
            };
            wanted.push(Wanted {
                name: change.path.clone(),
                path,
                about: about.to_owned(),
                before: Some(text),
                bare: None,
                is_program: false,
                after,
            });
        }
    }
    if init.agent.is_empty() && site.scope != Scope::User {
        if !site.is_recorded(pre_push::is_hook) {
            wanted.extend(pre_push::forgotten(&site.grounds)?);
        }
        if !site.is_recorded(merge_driver::is_config) {
            wanted.extend(merge_driver::forgotten(&site.grounds));
        }
        let is_recorded = |name: &str| receipt.find(name).is_some();
        wanted.extend(instructions::forgotten(&site.grounds, is_recorded));
    }
    if init.agent.is_empty() {
        let is_recorded = |name: &str| receipt.find(name).is_some();
        wanted.extend(skills::forgotten(&site.grounds, site.scope, is_recorded));
    }
    let mut seen = HashSet::new();
    wanted.retain(|file: &Wanted| seen.insert(file.path.clone()));
    if !wanted.iter().any(Wanted::is_changed) {
        notes.push("nothing to undo".to_owned());
    }
    Ok(wanted)
}

/// Once the files are as before: restores their permissions, removes the directories that were made for them, and drops
/// them from the receipt.
pub(super) fn forget(
    site: &Site<'_>,
    receipt: &mut Receipt,
    wanted: &[Wanted],
) -> Result<(), Failure> {
    for file in wanted.iter().filter(|file| file.is_changed()) {
        let mode = receipt.find(&file.name).and_then(|change| change.mode);
        if let (Some(mode), Some(_)) = (mode, &file.after) {
            set_mode(&file.path, mode)?;
        }
    }
    let undone: Vec<&str> = wanted.iter().map(|file| file.name.as_str()).collect();
    let gone = |change: &Change| undone.contains(&change.path.as_str());
    for change in receipt.files.iter().filter(|change| gone(change)) {
        // Only above what was removed: an archive can bring a forged receipt. Fails for a directory that holds other
        // files, which stays.
        let path = Path::new(&change.path);
        let directories = change.directories.iter();
        for directory in directories.filter(|directory| path.starts_with(directory)) {
            let _ = std::fs::remove_dir(site.grounds.root.join(directory));
        }
    }
    receipt.files.retain(|change| !gone(change));
    Ok(())
}

/// The scopes to undo: those given, or else both scopes of this repository.
fn scopes(init: &Init, scope: Scope) -> Vec<Scope> {
    match init.local || init.project || init.user {
        true => vec![scope],
        false => vec![Scope::Local, Scope::Project],
    }
}

/// Settings without anything of ours; `None` if they have nothing.
fn settings(
    site: &Site<'_>,
    place: &Place,
    scope: Scope,
    receipt: &Receipt,
) -> Result<Option<Wanted>, Failure> {
    let (name, path) = site.grounds.place(place)?;
    let Some(text) = site.grounds.text(&name, &path)? else {
        return Ok(None);
    };
    let known = receipt.find(&name);
    if known.is_none() && !holds_ours(&text, place) {
        return Ok(None);
    }
    let original = known.and_then(|change| change.undone(&text));
    let rest = original.unwrap_or_else(|| text.clone());
    let created = known.is_some_and(|change| change.created);
    // A file that we created can end up empty after others edited it and reverted their edits.
    let is_empty = |text: &str| text.trim().is_empty() || text.trim() == "{}";
    let after = match rest.trim().is_empty() {
        true => rest,
        false => stripped(&rest, place).map_err(|error| {
            Failure::new(Exit::Invalid, format!("{name}: {error}"))
                .with_hint(remedy(&error, command_to_undo(scope)))
        })?,
    };
    let after = Some(after).filter(|after| !(created && is_empty(after)));
    let is_as_before = known.is_some_and(|change| change.is_as_before(after.as_deref()));
    Ok(Some(Wanted {
        name,
        path,
        about: match is_as_before {
            true => "back to its original state".to_owned(),
            false => "without the parts added by ckpt".to_owned(),
        },
        before: Some(text),
        bare: None,
        is_program: false,
        after,
    }))
}
