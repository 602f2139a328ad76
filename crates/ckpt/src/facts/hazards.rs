//! The hazards of a checkpoint, in words.

use super::around::{COMMITS, Commit, Gone, STASH};
use super::tell::{MOST_LISTED, Teller, some};
use super::words::{forbids, forbids_shipping, sentence, short_id};
use super::work::{GateFact, State};
use super::{Fact, Hazard, Source};
use crate::gate::Proof;
use crate::voice::{name, names as listed, quote, suggested};

impl Teller<'_> {
    /// What to check before going on, the most pressing first.
    pub(super) fn hazards(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        facts.extend(self.in_git());
        facts.extend(self.troubles());
        facts.extend(self.deaths());
        facts.extend(self.lost());
        facts.extend(self.user_said());
        facts.extend(self.warnings());
        facts.extend(self.done_elsewhere());
        facts.extend(self.blockers());
        facts.extend(self.failures());
        facts.extend(self.gates());
        facts.extend(self.uncommitted());
        facts.extend(self.put_back());
        facts.extend(self.ignored());
        facts.extend(self.commits());
        facts.extend(self.gone());
        facts.extend(self.deferred());
        facts.sort_by_key(Fact::hazard);
        facts
    }

    fn troubles(&self) -> Vec<Fact> {
        // In the middle of a rebase or merge, the plan is not what it will be.
        let is_passing = |hazard: Hazard| {
            let may_pass = matches!(hazard, Hazard::Reopened | Hazard::Vanished);
            may_pass && self.around.interrupted.is_some()
        };
        let troubles = self.work.troubles.iter();
        let troubles = troubles.filter(|trouble| !is_passing(trouble.hazard));
        troubles
            .map(|trouble| Fact {
                ids: trouble.ids.clone(),
                command: trouble.command.clone(),
                ..self.hazard(trouble.hazard, Source::Checkpoint, trouble.text.clone())
            })
            .collect()
    }

    /// Tasks that were done before git stopped in the middle of something, and are to come back with it.
    pub(super) fn coming_back(&self) -> Vec<&str> {
        let interrupted = self.around.interrupted.as_ref();
        if !interrupted.is_some_and(|one| one.comes_first) {
            return Vec::new();
        }
        let troubles = self.work.troubles.iter();
        let reopened = troubles.filter(|trouble| trouble.hazard == Hazard::Reopened);
        let ids = reopened.flat_map(|trouble| &trouble.ids);
        ids.map(String::as_str).collect()
    }

    /// What the user last said, if it forbids something that is open.
    fn user_said(&self) -> Option<Fact> {
        let session = self.around.last_asked()?;
        let asked = session.asked.as_deref()?;
        let item = self.work.open().find(|item| forbids(asked, &item.id))?;
        let text = format!(
            "The user said to session {}: {}",
            name(&session.session),
            quote(asked)
        );
        Some(Fact {
            ids: vec![item.id.clone()],
            at: session.seen_at.clone(),
            ..self.hazard(Hazard::UserSaid, Source::Session, text)
        })
    }

    fn done_elsewhere(&self) -> Vec<Fact> {
        let open = self.work.open();
        let done = open.filter_map(|item| Some((item, item.done_in.as_ref()?)));
        done.map(|(item, there)| {
            let text = format!(
                "Done in worktree {}, and not merged here: {}.",
                name(&there.place),
                self.with_title(item)
            );
            Fact {
                ids: vec![item.id.clone()],
                ..self.hazard(Hazard::DoneElsewhere, Source::Checkpoint, text)
            }
        })
        .collect()
    }

    /// What git was in the middle of, where the work went on, and what was stashed.
    fn in_git(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(interrupted) = &self.around.interrupted {
            let unmerged = match interrupted.unmerged.as_slice() {
                [] => String::new(),
                files => format!("; unmerged: {}", some(files)),
            };
            let text = match interrupted.comes_first {
                true => format!("A {} is not finished{unmerged}.", interrupted.name()),
                false => format!(
                    "A {} is running: an older commit is checked out, so newer files seem to be gone. Commit nothing here.",
                    interrupted.name()
                ),
            };
            facts.push(Fact {
                command: (!interrupted.comes_first).then(|| interrupted.go_on.clone()),
                ..self.hazard(Hazard::GitUnfinished, Source::Git, text)
            });
        }
        if let Some(branch) = &self.around.other_branch {
            let text = format!(
                "Last worked on in branch {}, whose commits are not here.",
                name(branch)
            );
            facts.push(self.hazard(Hazard::OtherBranch, Source::History, text));
        }
        if let Some(stashed) = &self.around.stashed {
            let text = format!(
                "Work of {} is stashed since {}, as {} {}. Look at it before redoing anything.",
                match &self.around.other_branch {
                    Some(branch) => name(branch),
                    None => "this branch".into(),
                },
                self.time(&stashed.at),
                stashed.name,
                quote(&stashed.message)
            );
            facts.push(Fact {
                ids: vec![STASH.to_owned()],
                command: Some(format!("git stash show --patch '{}'", stashed.name)),
                ..self.hazard(Hazard::Stashed, Source::Git, text)
            });
        }
        facts
    }

    fn deaths(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let forbidding = self.user_said().and(self.around.last_asked());
        let forbidding = forbidding.map(|session| session.session.clone());
        for death in &self.around.deaths {
            let short = short_id(&death.session);
            let mut text = format!(
                "Session {} ({}) died without SessionEnd",
                name(&short),
                name(&death.agent)
            );
            if let Some(seen) = &death.seen_at {
                text += &format!(", last seen {}", self.time(seen));
            }
            match death.ids.as_slice() {
                [] => text += ".",
                ids => {
                    let work: Vec<String> = ids.iter().map(|id| self.titled(id)).collect();
                    text += &format!(", at work on {}.", work.join(", "));
                }
            }
            let short = text.clone();
            // What the user forbids is told by itself.
            let asked = death.asked.as_ref();
            if let Some(asked) = asked.filter(|_| forbidding.as_ref() != Some(&death.session)) {
                text += &format!(" The user had asked: {}", quote(asked));
            }
            if let Some(words) = &death.words {
                text += &format!(" Last words: {}", quote(words));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&death.session), &death.ids].concat(),
                at: death.seen_at.clone(),
                short: Some(short),
                ..self.hazard(Hazard::SessionDied, Source::Session, text)
            });
        }
        facts
    }

    fn lost(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for lost in &self.around.lost {
            let short = short_id(&lost.id);
            let mut text = format!(
                "Sub-agent {} ({}) died without a report",
                name(&short),
                name(&lost.kind)
            );
            if !lost.ids.is_empty() {
                text += &format!(", at work on {}", listed(&lost.ids));
            } else if let Some(asked) = &lost.asked {
                text += &format!(", asked {}", quote(sentence(asked)));
            }
            if !lost.files.is_empty() {
                text += &format!("; it wrote {}", some(&lost.files));
            }
            text += ".";
            let short = text.clone();
            if let Some(words) = &lost.words {
                text += &format!(" Last words: {}", quote(words));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&lost.id), &lost.ids].concat(),
                short: Some(short),
                ..self.hazard(Hazard::SubAgentDied, Source::Session, text)
            });
        }
        facts
    }

    fn blockers(&self) -> Vec<Fact> {
        let blockers = self.work.blockers.iter().map(|blocker| Fact {
            ids: blocker.about.clone(),
            command: blocker.record.clone(),
            ..self.hazard(
                blocker.hazard,
                Source::Checkpoint,
                format!("{}: {}", blocker.in_words(), quote(&blocker.text)),
            )
        });
        blockers.collect()
    }

    fn failures(&self) -> Vec<Fact> {
        let failed = self.work.items.iter();
        let failed = failed.filter(|item| item.state == State::Failed);
        failed
            .map(|item| {
                let what = capitalised(item.what);
                let error = item.error.as_deref().map(quote);
                let error = error.unwrap_or_else(|| "no error recorded".to_owned());
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.hazard(
                        Hazard::Failed,
                        Source::Checkpoint,
                        format!("{what} {} failed: {error}", name(&item.id)),
                    )
                }
            })
            .collect()
    }

    fn gates(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for gate in &self.work.gates {
            let hazard = match gate.proof {
                Proof::Failed | Proof::Interrupted => Hazard::GateFailed,
                Proof::OlderContent => Hazard::GateOlder,
                Proof::Claimed | Proof::ClaimedElsewhere => Hazard::GateClaimed,
                Proof::Missing if self.is_due(gate) => Hazard::GateMissing,
                Proof::Running => Hazard::GateRunning,
                Proof::Proven | Proof::NotChecked if gate.failed_before > 0 => Hazard::GateUnsteady,
                Proof::Proven | Proof::NotChecked | Proof::Tolerated | Proof::Missing => continue,
            };
            let mut text = format!("Gate {} {}", name(&gate.name()), gate.in_words());
            if hazard == Hazard::GateUnsteady {
                text = format!(
                    "Gate {} passed after it had failed {} on the same content, so the pass may be luck",
                    name(&gate.name()),
                    failures(gate.failed_before)
                );
            }
            if let (Hazard::GateClaimed, Some(by)) = (hazard, &gate.by) {
                text += &format!(", by {}", name(by));
            }
            if let (Some(at), true) = (&gate.at, hazard != Hazard::GateUnsteady) {
                text += &format!(", at {}", self.time(at));
            }
            if let (Hazard::GateFailed, Some(lines)) = (hazard, &gate.last_lines) {
                text += &format!("; its output ended with {}", quote(lines));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&gate.gate), &gate.about].concat(),
                at: gate.at.clone(),
                command: gate.run.clone(),
                ..self.hazard(hazard, Source::Checkpoint, format!("{text}."))
            });
        }
        facts
    }

    /// Whether the work that a gate is about is done.
    fn is_due(&self, gate: &GateFact) -> bool {
        let is_done = |id: &String| self.done.contains(id.as_str());
        match gate.about.as_slice() {
            [] => self.work.open().next().is_none(),
            about => about.iter().any(is_done),
        }
    }

    fn uncommitted(&self) -> Vec<Fact> {
        let Some(uncommitted) = &self.around.uncommitted else {
            return Vec::new();
        };
        if uncommitted.files.is_empty() {
            return Vec::new();
        }
        let mut text = format!("Uncommitted: {}.", some(&uncommitted.files));
        if !uncommitted.others.is_empty() {
            text += &format!(" Some may belong to {}.", uncommitted.others.join(", "));
        }
        vec![Fact {
            command: Some("git status".to_owned()),
            ..self.hazard(Hazard::Uncommitted, Source::Git, text)
        }]
    }

    /// Files that are back at an earlier version.
    fn put_back(&self) -> Vec<Fact> {
        let files = self.around.put_back.iter();
        files
            .map(|(file, subject)| {
                let text = format!(
                    "{} is exactly as it was before the commit {}: an old copy may have been saved over it. Unless somebody meant that, do not commit it or build on it, but run git restore --staged --worktree {}. If it is meant: ckpt ack {}.",
                    name(file),
                    quote(subject),
                    suggested(file),
                    suggested(file)
                );
                Fact {
                    ids: vec![file.clone()],
                    command: Some(format!("git diff HEAD -- {}", suggested(file))),
                    ..self.hazard(Hazard::OldContent, Source::Git, text)
                }
            })
            .collect()
    }

    fn ignored(&self) -> Vec<Fact> {
        let ignored = self.around.ignored.iter();
        ignored
            .map(|file| {
                let text = format!(
                    "{} is part of this work, but git ignores it, so nobody who pulls gets it. If it belongs in git: git add --force {}. If not: ckpt ack {}.",
                    name(file),
                    suggested(file),
                    suggested(file)
                );
                Fact {
                    ids: vec![file.clone()],
                    ..self.hazard(Hazard::NotInGit, Source::Git, text)
                }
            })
            .collect()
    }

    /// What somebody warned of: in a report that came before a compaction, or in the summary of something done.
    fn warnings(&self) -> Vec<Fact> {
        let forgotten = self.around.forgotten.iter().map(|report| {
            let text = format!(
                "Sub-agent {} reported on {}: {}. Its session was compacted since, and nothing recorded answers that. If it is dealt with: ckpt ack {}.",
                name(&report.agent),
                listed(&report.about),
                quote(&report.text),
                suggested(&report.agent)
            );
            Fact {
                ids: [std::slice::from_ref(&report.agent), &report.about].concat(),
                at: Some(report.at.clone()),
                ..self.hazard(Hazard::Warned, Source::Checkpoint, text)
            }
        });
        forgotten.chain(self.shipping_warnings()).collect()
    }

    /// Summaries of what is done that say not to ship.
    fn shipping_warnings(&self) -> Vec<Fact> {
        let done = self.work.items.iter();
        let done = done.filter(|item| item.state == State::Done);
        let said = done.filter_map(|item| Some((item, item.summary.as_deref()?)));
        let said = said.filter(|(item, summary)| {
            forbids_shipping(summary) && !self.around.answered.contains(&item.id)
        });
        said.map(|(item, summary)| {
            let text = format!(
                "The summary of {} says not to ship: {}. If that is dealt with: ckpt ack {}.",
                name(&item.id),
                quote(summary),
                suggested(&item.id)
            );
            Fact {
                ids: vec![item.id.clone()],
                ..self.hazard(Hazard::Warned, Source::Checkpoint, text)
            }
        })
        .collect()
    }

    fn commits(&self) -> Vec<Fact> {
        let commits = &self.around.commits;
        if commits.is_empty() {
            return Vec::new();
        }
        let said = |commit: &Commit| {
            let named = match commit.named.as_slice() {
                [] => String::new(),
                named => format!(", touches {}", some(named)),
            };
            let back = commit.takes_back.as_deref().map(quote);
            let back = back.map(|subject| format!(", reverts {subject}"));
            format!(
                "{} by {}{named}{}",
                quote(&commit.subject),
                name(&commit.author),
                back.unwrap_or_default()
            )
        };
        // Commits that take something back come first, then those that touch what the checkpoint names.
        let mut order: Vec<&Commit> = commits.iter().collect();
        order.sort_by_key(|commit| (commit.takes_back.is_none(), commit.named.is_empty()));
        let shown: Vec<String> = order.iter().take(3).map(|commit| said(commit)).collect();
        let more = match commits.len() - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let count = match commits.len() {
            1 => "1 commit".to_owned(),
            count => format!("{count} commits"),
        };
        vec![Fact {
            ids: vec![COMMITS.to_owned()],
            command: Some("ckpt resume --drift".to_owned()),
            ..self.hazard(
                Hazard::ForeignCommits,
                Source::Git,
                format!("{count} by others since: {}{more}.", shown.join("; ")),
            )
        }]
    }

    fn gone(&self) -> Vec<Fact> {
        let gone = &self.around.gone;
        if gone.is_empty() {
            return Vec::new();
        }
        let said = |gone: &Gone| {
            let by = match &gone.used_by {
                Some(item) => format!("the summary of {}", name(item)),
                None => "a note".to_owned(),
            };
            format!(
                "{} (in {by}) is gone from {}",
                quote(&gone.name),
                name(&gone.file)
            )
        };
        let shown: Vec<String> = gone.iter().take(3).map(said).collect();
        let more = match gone.len() - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more names"),
        };
        vec![Fact {
            ids: gone.iter().map(|gone| gone.name.clone()).collect(),
            ..self.hazard(
                Hazard::NameGone,
                Source::Git,
                format!("{}{more}.", shown.join("; ")),
            )
        }]
    }

    fn deferred(&self) -> Vec<Fact> {
        let items = self.work.items.iter();
        let deferred = items.filter(|item| item.state == State::Deferred);
        let needed = self.work.waited_for();
        let holding = deferred.filter(|item| needed.contains(item.id.as_str()));
        holding
            .take(MOST_LISTED)
            .map(|item| {
                let waiting = self.work.open();
                let waiting = waiting.filter(|other| other.needs.contains(&item.id));
                let waiting: Vec<&str> = waiting.map(|other| other.id.as_str()).collect();
                let reason = item.reason.as_deref().map(quote);
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.hazard(
                        Hazard::Deferred,
                        Source::Checkpoint,
                        format!(
                            "{} is deferred: {}; {} waits for it.",
                            self.with_title(item),
                            reason.unwrap_or_else(|| "no reason given".to_owned()),
                            listed(&waiting)
                        ),
                    )
                }
            })
            .collect()
    }
}

fn failures(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
