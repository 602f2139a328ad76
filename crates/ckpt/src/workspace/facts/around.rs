//! What surrounds a checkpoint: sessions that died, sub-agents that were lost, and what moved in git.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::super::kind::Kind;
use super::super::{LeftBehind, SessionRecord, Workspace};
use super::Depth;
use super::company::Company;
use super::trace::Trace;
use crate::facts::{
    Around, Commit, Gone, Interrupted, LostAgent, PastSession, Report, STASH, Stashed, Uncommitted,
    Work, identifiers, last_words, short_id,
};
use crate::gate::uncounted;
use crate::key::Key;
use crate::repository::CommitId;
use crate::time::Timestamp;

/// How many dead sessions are told.
const MOST_DEATHS: usize = 3;

/// How many commits by others are looked at.
const MOST_COMMITS: usize = 200;

/// How many names are searched for.
const MOST_NAMES: usize = 200;

/// How many files are compared with earlier versions.
const MOST_PUT_BACK: usize = 5;

/// How many files are searched for names.
const MOST_FILES: usize = 50;

impl Workspace {
    pub(super) fn around(
        &self,
        work: &Work,
        trace: &Trace,
        reading: &dyn Kind,
        depth: Depth,
        company: &Company,
    ) -> Around<'static> {
        let mut around = Around {
            now: Some(self.now()),
            ..Around::default()
        };
        around.deaths = self.deaths(work, trace, company);
        around.last = self.last_session(trace, company);
        around.forgotten = self.forgotten(work, trace);
        let done = work.items.iter().filter(|item| !item.state.is_open());
        let answered = done.filter(|item| trace.is_acknowledged(&item.id));
        around.answered = answered.map(|item| item.id.clone()).collect();
        around.lost = reading.lost_agents();
        for record in &company.over {
            around.lost.extend(self.losses(reading, record));
        }
        around.lost.retain(|lost| {
            let session = lost.session.as_deref().unwrap_or_default();
            // Its end may have been noticed long after.
            let of = company.over.iter().find(|record| record.id == session);
            let ended = lost.ended_at.as_deref().unwrap_or_default();
            let sign =
                of.map(|record| self.last_sign(record, &(self.options.left_behind)(record, None)));
            let after = sign.as_deref().map_or(ended, |sign| ended.min(sign));
            let is_open = |id: &String| work.item(id).is_none_or(|item| item.state.is_open());
            // What it finished is told until somebody else works here; what it left open, until somebody takes it up.
            match lost.ids.iter().any(is_open) {
                true => !trace.is_touched(&lost.ids, &lost.id, after, session),
                false => !trace.is_touched(&[], &lost.id, after, session),
            }
        });
        around.interrupted = self.repository.unfinished().map(|unfinished| Interrupted {
            operation: unfinished.operation.name(),
            go_on: unfinished.operation.go_on(),
            comes_first: unfinished.operation.comes_first(),
            of: unfinished.of,
            unmerged: Vec::new(),
        });
        if depth == Depth::Full && self.repository.is_git() {
            self.ask_git(work, trace, reading, &company.live, &mut around);
            self.ask_about_files(work, trace, &mut around);
        }
        around.stashed = self.stashed(trace, around.other_branch.as_deref());
        around
    }

    /// The newest stash of this branch, or of the one on which the work goes on, if it was made since the work on the
    /// checkpoint began.
    fn stashed(&self, trace: &Trace, other_branch: Option<&str>) -> Option<Stashed> {
        let branch = match other_branch {
            Some(branch) => branch.to_owned(),
            None => self.head().branch?,
        };
        let stashes = self.repository.stashes().into_iter();
        let stash = stashes
            .into_iter()
            .find(|stash| stash.branch.as_ref() == Some(&branch))?;
        let at = Timestamp::from_millisecond(stash.at * 1000)?;
        let begun = Timestamp::parse(trace.begun_at()?)?;
        let is_new = stash.at >= begun.as_millisecond() / 1000;
        // An acknowledgement in the same second is about this one.
        let is_seen = trace
            .acknowledged_at(STASH)
            .and_then(Timestamp::parse)
            .is_some_and(|seen| seen.as_millisecond() / 1000 >= stash.at);
        (is_new && !is_seen).then(|| Stashed {
            name: stash.name,
            at: at.to_string(),
            message: stash.message,
        })
    }

    /// What sub-agents reported about things that are done, before their session was compacted, if it says that
    /// something is wrong and nobody has dealt with it since.
    fn forgotten(&self, work: &Work, trace: &Trace) -> Vec<Report> {
        let is_over = |id: &String| work.item(id).is_some_and(|item| !item.state.is_open());
        let mut compacted: HashMap<&str, Option<String>> = HashMap::new();
        let mut forgotten = Vec::new();
        for report in &work.reports {
            let session = report.session.as_deref().unwrap_or_default();
            let is_done = !report.about.is_empty() && report.about.iter().all(is_over);
            if !is_done || !report.warns() {
                continue;
            }
            let compacted = compacted.entry(session).or_insert_with(|| {
                let record = self.sessions().get(session)?;
                record.compacted_at().map(|at| at.to_string())
            });
            let Some(compacted) = compacted.as_deref().filter(|at| *at > report.at.as_str()) else {
                continue;
            };
            // Until it was compacted, the session knew the report.
            let is_heeded = trace.has_worked(session, &report.about, &report.at, compacted);
            if !is_heeded && !trace.is_touched(&report.about, &report.agent, &report.at, session) {
                forgotten.push(report.clone());
            }
        }
        forgotten
    }

    /// The branch on which somebody last worked on the checkpoint, if it is another one and its commits are not here.
    fn other_branch(&self, trace: &Trace) -> Option<String> {
        let here = self.head().branch?;
        let last = trace.last_work()?;
        let branch = last.branch.clone().filter(|branch| *branch != here)?;
        let tip = self.repository.branch_tip(&branch)?;
        let beyond = self.repository.foreign_commits(&tip, 0).ok()??;
        (!beyond.is_ancestor).then_some(branch)
    }

    /// The sub-agents of a session that is over, whose loss is not on record yet.
    fn losses(&self, reading: &dyn Kind, record: &SessionRecord) -> Vec<LostAgent> {
        let helpers = reading.helpers(&record.id).into_iter();
        let silent = helpers.filter(|helper| record.report(&helper.id).is_none());
        silent
            .map(|helper| {
                let left = (self.options.left_behind)(record, Some(&helper.id));
                LostAgent {
                    kind: helper.kind,
                    asked: helper.asked,
                    ids: helper.tasks,
                    files: self.own_names(left.files),
                    words: left.words.map(|said| last_words(&said)),
                    ended_at: Some(self.now().to_string()),
                    session: Some(record.id.clone()),
                    id: helper.id,
                }
            })
            .collect()
    }

    /// Files relative to the repository, where they are in it.
    pub fn own_names(&self, files: Vec<String>) -> Vec<String> {
        let root = self.repository.root();
        let own = |file: String| match Path::new(&file).strip_prefix(root) {
            Ok(below) => below.display().to_string(),
            Err(_) => file,
        };
        files.into_iter().map(own).collect()
    }

    /// Sessions that died at work on this checkpoint, and whose work nobody has touched since.
    fn deaths(&self, work: &Work, trace: &Trace, company: &Company) -> Vec<PastSession> {
        let open: HashSet<&str> = work.open().map(|item| item.id.as_str()).collect();
        let is_open = |id: &str| open.contains(id);
        let mut deaths = Vec::new();
        for record in &company.crashed {
            let owned = work.open().filter(|item| {
                let owner = item.owner.as_ref();
                owner.is_some_and(|owner| owner.session.as_deref() == Some(record.id.as_str()))
            });
            let mut ids: Vec<String> = owned.map(|item| item.id.clone()).collect();
            if ids.is_empty() {
                ids = trace.work_of(&record.id, is_open);
            }
            let last = trace.last_of(&record.id).map(str::to_owned);
            if ids.is_empty()
                && last.is_none()
                && self.worked_elsewhere(company, &record.id, &work.key)
            {
                continue;
            }
            let left = (self.options.left_behind)(record, None);
            let seen_at = last.max(Some(self.last_sign(record, &left)));
            let after = seen_at.clone().unwrap_or_default();
            if trace.is_touched(&ids, &record.id, &after, &record.id) {
                continue;
            }
            deaths.push(PastSession {
                session: record.id.clone(),
                agent: record.agent.clone(),
                seen_at,
                ids,
                words: left.words.map(|said| last_words(&said)),
                asked: asked(record),
            });
        }
        deaths.sort_by(|one, two| two.seen_at.cmp(&one.seen_at));
        deaths.truncate(MOST_DEATHS);
        deaths
    }

    /// The session that worked on it last, if it ended as it should.
    fn last_session(&self, trace: &Trace, company: &Company) -> Option<PastSession> {
        let last = trace.last_work()?.session.as_deref()?;
        let mut over = company.over.iter();
        let record = over.find(|record| record.id == last && record.goodbye_at.is_some())?;
        let left = (self.options.left_behind)(record, None);
        Some(PastSession {
            session: record.id.clone(),
            agent: record.agent.clone(),
            seen_at: Some(record.seen_at.clone()),
            ids: Vec::new(),
            words: left.words.map(|said| last_words(&said)),
            asked: asked(record),
        })
    }

    /// When a session was last heard of: in its record, or in its transcript.
    fn last_sign(&self, record: &SessionRecord, left: &LeftBehind) -> String {
        let said = left.at.map(|at| at.to_string());
        // A transcript may be copied or touched later.
        let is_possible = |said: &String| *said <= self.now().to_string();
        let said = said.filter(is_possible).unwrap_or_default();
        said.max(record.seen_at.clone())
    }

    fn ask_git(
        &self,
        work: &Work,
        trace: &Trace,
        reading: &dyn Kind,
        live: &[SessionRecord],
        around: &mut Around<'static>,
    ) {
        if let Ok(found) = self.repository.uncommitted(&uncounted()) {
            let files = found.changed;
            if let Some(interrupted) = &mut around.interrupted {
                interrupted.unmerged = found.unmerged;
            }
            let others = live.iter().map(|record| {
                let short = short_id(&record.id);
                format!("the live {} session {short}", record.agent)
            });
            around.uncommitted = Some(Uncommitted {
                others: if files.is_empty() {
                    Vec::new()
                } else {
                    others.collect()
                },
                files,
            });
        }
        if around.interrupted.is_none() {
            around.other_branch = self.other_branch(trace);
        }
        let saved = trace
            .saved_at()
            .map(str::to_owned)
            .or_else(|| reading.saved_at());
        let Some(saved) = saved.and_then(|saved| saved.parse::<CommitId>().ok()) else {
            return;
        };
        let named = named_files(work);
        let own = self.own_files(&work.key, reading);
        let seen = trace.seen_at().and_then(|seen| seen.parse().ok());
        let seen = seen.unwrap_or_else(|| saved.clone());
        if self.head().commit.as_ref() != Some(&seen)
            && let Ok(Some(foreign)) = self.repository.foreign_commits(&seen, MOST_COMMITS)
        {
            around.commits = foreign
                .commits
                .into_iter()
                .map(|commit| Commit {
                    subject: commit.subject,
                    author: commit.author,
                    body: commit.body,
                    takes_back: commit.takes_back,
                    named: commit
                        .files
                        .into_iter()
                        .filter(|file| named.contains(file) || own.contains(file))
                        .collect(),
                })
                .collect();
        }
        around.gone = self.gone_names(work, &saved, &named);
        around
            .gone
            .retain(|gone| !trace.is_acknowledged_since_work(&gone.name));
    }

    /// What is known about single files. It is asked last, because it may take long.
    fn ask_about_files(&self, work: &Work, trace: &Trace, around: &mut Around<'static>) {
        let Some(uncommitted) = &around.uncommitted else {
            return;
        };
        let changed = &uncommitted.files;
        // A merge or revert is meant to change files back.
        if around.interrupted.is_none() {
            around.put_back = self.put_back(changed);
        }
        around.ignored = self.ignored(work, changed);
        let is_new = |file: &String| !trace.is_acknowledged(file);
        around.put_back.retain(|(file, _)| is_new(file));
        around.ignored.retain(is_new);
    }

    /// Files that are not committed and are as they were before an earlier commit, with its subject.
    fn put_back(&self, changed: &[String]) -> Vec<(String, String)> {
        let files = changed.iter().take(MOST_PUT_BACK);
        let undone = files.filter_map(|file| {
            let subject = self.repository.undoes(file).ok()??;
            Some((file.clone(), subject))
        });
        undone.collect()
    }

    /// Files that the checkpoint lists, that are here, and that git ignores although it knows their directory. What is
    /// built or secret is usually ignored with its directory, or hidden.
    fn ignored(&self, work: &Work, changed: &[String]) -> Vec<String> {
        let root = self.repository.root();
        let listed = work.items.iter().flat_map(|item| &item.files);
        let listed = listed.chain(&work.files);
        let listed = listed.map(|file| file.trim_start_matches("./"));
        let is_here = |file: &&str| {
            let parts = Path::new(file).components();
            let mut parts = parts.map(|part| part.as_os_str().to_string_lossy());
            // A name that begins with a dot is hidden or leads elsewhere.
            !file.starts_with('/')
                && parts.all(|part| !part.starts_with('.'))
                && root.join(file).is_file()
        };
        let mut listed: Vec<String> = listed.filter(is_here).map(str::to_owned).collect();
        listed.sort_unstable();
        listed.dedup();
        listed.truncate(MOST_FILES);
        listed.retain(|file| {
            let is_left_out = self.repository.is_left_out(file, &uncounted());
            !changed.contains(file) && is_left_out.unwrap_or(false)
        });
        listed
    }

    /// The Markdown of a plan, or the specification of a pipeline.
    fn own_files(&self, key: &Key, reading: &dyn Kind) -> Vec<String> {
        let root = self.repository.root();
        let place = self.layout.place(key);
        let files = place.files.iter().filter_map(|file| {
            let name = file.path.strip_prefix(root).ok()?.to_str()?;
            Some(name.to_owned())
        });
        files.chain(reading.spec_path()).collect()
    }

    /// Names that the texts use, that were in a named file at the saved commit, and that are gone from it.
    fn gone_names(&self, work: &Work, saved: &CommitId, named: &HashSet<String>) -> Vec<Gone> {
        let mut texts: Vec<(Option<&str>, &str)> = Vec::new();
        for item in &work.items {
            texts.extend(
                item.summary
                    .as_deref()
                    .map(|summary| (Some(item.id.as_str()), summary)),
            );
        }
        texts.extend(work.noted.iter().map(|note| (None, note.text.as_str())));
        texts.extend(work.decided.iter().map(|one| (None, one.text.as_str())));
        let mut used: Vec<(String, Option<&str>)> = Vec::new();
        for (item, text) in texts {
            for name in identifiers(text) {
                let is_new = !used.iter().any(|(known, _)| *known == name);
                if is_new && used.len() < MOST_NAMES {
                    used.push((name, item));
                }
            }
        }
        let mut files: Vec<String> = named.iter().cloned().collect();
        files.sort_unstable();
        files.truncate(MOST_FILES);
        if used.is_empty() || files.is_empty() {
            return Vec::new();
        }
        let root = self.repository.root();
        let Ok(before) = self.repository.contents_at(saved, &files) else {
            return Vec::new();
        };
        let mut gone = Vec::new();
        for (file, before) in files.iter().zip(before) {
            let now = read_small(&root.join(file));
            let (Some(before), Some(now)) = (before, now) else {
                continue;
            };
            if before == now {
                continue;
            }
            for (name, item) in &used {
                if has_word(&before, name) && !has_word(&now, name) {
                    gone.push(Gone {
                        name: name.clone(),
                        file: file.clone(),
                        used_by: item.map(str::to_owned),
                    });
                }
            }
        }
        gone
    }
}

/// What the user last asked a session: the last prompt, and the one before if that says little.
fn asked(record: &SessionRecord) -> Option<String> {
    const LITTLE: usize = 8;
    let (last, before) = record.asked.split_last()?;
    let says_little = last.split_whitespace().count() < LITTLE;
    Some(match before.last() {
        Some(before) if says_little => format!("{before} … {last}"),
        _ => last.clone(),
    })
}

/// The files that a checkpoint names, in its lists and its texts.
fn named_files(work: &Work) -> HashSet<String> {
    let mut named: HashSet<String> = work.files.iter().cloned().collect();
    let mut texts: Vec<&str> = Vec::new();
    for item in &work.items {
        texts.extend(item.title.as_deref());
        texts.extend(item.summary.as_deref());
        texts.extend(item.error.as_deref());
    }
    texts.extend(work.noted.iter().map(|note| note.text.as_str()));
    texts.extend(work.decided.iter().map(|one| one.text.as_str()));
    texts.extend(work.blockers.iter().map(|one| one.text.as_str()));
    for text in texts {
        for word in text.split(|c: char| {
            c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | '(' | ')')
        }) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            let is_path = word.contains('/')
                || Path::new(word).extension().is_some_and(|ending| {
                    ending.len() <= 4
                        && ending
                            .to_str()
                            .is_some_and(|ending| ending.chars().all(char::is_alphanumeric))
                });
            if is_path && !word.contains("://") && !word.starts_with('/') {
                named.insert(word.trim_start_matches("./").to_owned());
            }
        }
    }
    named
}

fn has_word(content: &[u8], word: &str) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memchr::memmem::find_iter(content, word.as_bytes()).any(|at| {
        let before = at.checked_sub(1).and_then(|at| content.get(at));
        !is_word(before) && !is_word(content.get(at + word.len()))
    })
}

/// The content of a file that is not too large to be searched; nothing if it is gone.
fn read_small(path: &Path) -> Option<Vec<u8>> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() && found.len() <= 1024 * 1024 => std::fs::read(path).ok(),
        Ok(_) => None,
        Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then(Vec::new),
    }
}
