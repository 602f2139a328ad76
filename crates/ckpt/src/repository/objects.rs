//! Reading git's objects. One `git cat-file` answers all questions of this process.

use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::git::Git;
use super::head::Branch;
use super::launch::Conversation;
use super::{CommitId, Location, RepositoryError};

/// A brief is not worth waiting longer for.
const PATIENCE: Duration = Duration::from_secs(3);

/// After a failure, nothing is asked for this long.
const PAUSE: Duration = Duration::from_secs(30);

/// Larger objects are not read.
const LARGEST: usize = 16 * 1024 * 1024;

/// How many commits are read.
const MOST_COMMITS: usize = 5_000;

/// How many commits are looked at in case clocks differ.
const SLACK: usize = 8;

/// How many directories are compared.
const MOST_TREES: usize = 20_000;

/// How many files of one commit are named.
const MOST_FILES: usize = 1_000;

/// How many names of directory entries are kept to find the branch that has a file.
const MOST_LISTED: usize = 200_000;

/// The process that reads objects, once somebody has asked.
#[derive(Clone, Default)]
pub(super) struct Objects {
    talk: Arc<Mutex<Talk>>,
    /// What a directory holds on each branch, by its name.
    listings: Arc<Mutex<HashMap<String, Listing>>>,
}

#[derive(Default)]
struct Talk {
    running: Option<Conversation>,
    /// When it last failed. Whoever asks next would wait as long again.
    failed: Option<Instant>,
}

/// The branches that have a directory, each with what is in it.
type Listing = Arc<Vec<(Branch, Arc<HashSet<String>>)>>;

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Objects")
    }
}

/// What kind of object it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Other,
}

/// A commit.
#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub(super) id: CommitId,
    pub(super) tree: CommitId,
    pub(super) parents: Vec<CommitId>,
    pub(super) author: String,
    pub(super) subject: String,
    /// What its message says besides the subject.
    pub(super) body: String,
    /// The committer's time, in seconds.
    time: i64,
}

/// What HEAD has beyond a commit.
#[derive(Debug)]
pub(super) struct Since {
    /// The commits that it has and the other does not, the newest first, without merges.
    pub(super) commits: Vec<Commit>,
    /// Whether the other commit is one of its ancestors, or itself.
    pub(super) is_ancestor: bool,
}

/// Reads the objects of one repository.
pub(super) struct Reader<'l> {
    location: &'l Location,
    trees_left: usize,
}

impl<'l> Reader<'l> {
    pub(super) fn new(location: &'l Location) -> Self {
        Self {
            location,
            trees_left: MOST_TREES,
        }
    }

    /// An object by its id, or by a name such as `HEAD:README.md`; `None` if there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<(Kind, Vec<u8>)>, RepositoryError> {
        let Ok(mut talk) = self.location.objects.talk.lock() else {
            return Ok(None);
        };
        let mut git = Git::new(self.location, &[], "cat-file");
        git.args(["--batch"]);
        if talk.failed.is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Err(git.unexpected(name.as_bytes()));
        }
        let answer = match &mut talk.running {
            Some(running) => ask(running, name),
            none => ask(none.insert(git.within(PATIENCE).converse()?), name),
        };
        answer.map_err(|_| {
            // What comes next would be the answer to another question.
            talk.running = None;
            talk.failed = Some(Instant::now());
            git.unexpected(name.as_bytes())
        })
    }

    pub(super) fn commit(&self, id: &CommitId) -> Result<Option<Commit>, RepositoryError> {
        let found = self.read(id.as_str())?;
        let commit = found.filter(|(kind, _)| *kind == Kind::Commit);
        Ok(commit.and_then(|(_, bytes)| parsed(id.clone(), &bytes)))
    }

    /// What a directory holds on each of these branches. Each branch is asked once, however many files are looked for.
    pub(super) fn listing(
        &self,
        directory: &str,
        branches: impl FnOnce() -> Result<Vec<Branch>, RepositoryError>,
    ) -> Result<Listing, RepositoryError> {
        let known = self.location.objects.listings.lock();
        let known = known.ok().and_then(|known| known.get(directory).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let mut found = Vec::new();
        // Most branches have the same directory.
        let mut same: HashMap<Vec<u8>, Arc<HashSet<String>>> = HashMap::new();
        let mut listed = 0;
        for branch in branches()? {
            let tree = self.read(&format!("{}:{directory}", branch.full()))?;
            let Some((Kind::Tree, bytes)) = tree else {
                continue;
            };
            let names = match same.get(&bytes) {
                Some(names) => Arc::clone(names),
                None => {
                    let entries = entries(&bytes, self.location.id_bytes);
                    listed += entries.len();
                    let names: Arc<HashSet<String>> = Arc::new(entries.into_keys().collect());
                    same.insert(bytes, Arc::clone(&names));
                    names
                }
            };
            found.push((branch, names));
            if listed > MOST_LISTED {
                break;
            }
        }
        let found = Arc::new(found);
        if let Ok(mut known) = self.location.objects.listings.lock() {
            known.insert(directory.to_owned(), Arc::clone(&found));
        }
        Ok(found)
    }

    /// The names in a directory of a commit; `None` if it is not a directory there.
    pub(super) fn names_in(
        &self,
        commit: &CommitId,
        directory: &str,
    ) -> Result<Option<HashSet<String>>, RepositoryError> {
        let Some((Kind::Tree, bytes)) = self.read(&format!("{commit}:{directory}"))? else {
            return Ok(None);
        };
        let names = entries(&bytes, self.location.id_bytes);
        Ok(Some(names.into_keys().collect()))
    }

    /// What `head` has beyond `since`; `None` if one of them is not there.
    pub(super) fn since(
        &self,
        since: &CommitId,
        head: &CommitId,
    ) -> Result<Option<Since>, RepositoryError> {
        let (Some(old), Some(new)) = (self.commit(since)?, self.commit(head)?) else {
            return Ok(None);
        };
        let mut walk = Walk::new();
        walk.add(new, false);
        walk.add(old, true);
        while let Some(id) = walk.next() {
            let Some((parents, is_old)) = walk.parents_of(&id) else {
                continue;
            };
            walk.reaches |= !is_old && parents.contains(since);
            for parent in parents {
                match walk.known.contains_key(&parent) {
                    true if is_old => walk.grow_old(parent),
                    true => {}
                    // A shallow clone ends somewhere.
                    false if walk.known.len() < MOST_COMMITS => {
                        if let Some(commit) = self.commit(&parent)? {
                            walk.add(commit, is_old);
                        }
                    }
                    false => {}
                }
            }
        }
        Ok(Some(walk.finish(since == head)))
    }

    /// The files that a commit changed, compared with its first parent.
    pub(super) fn files_of(&mut self, commit: &Commit) -> Result<Vec<String>, RepositoryError> {
        let parent = match commit.parents.first() {
            Some(parent) => self.commit(parent)?.map(|parent| parent.tree),
            None => None,
        };
        let mut files = Vec::new();
        let trees = (parent.as_ref(), Some(&commit.tree));
        self.compare(trees, "", &mut files)?;
        Ok(files)
    }

    fn compare(
        &mut self,
        (old, new): (Option<&CommitId>, Option<&CommitId>),
        above: &str,
        files: &mut Vec<String>,
    ) -> Result<(), RepositoryError> {
        if self.trees_left == 0 || files.len() >= MOST_FILES {
            return Ok(());
        }
        self.trees_left -= 1;
        let (old, mut new) = (self.tree(old)?, self.tree(new)?);
        for (name, was) in old {
            let now = new.remove(&name);
            if now.as_ref() != Some(&was) {
                self.differ(&format!("{above}{name}"), (Some(was), now), files)?;
            }
        }
        for (name, now) in new {
            self.differ(&format!("{above}{name}"), (None, Some(now)), files)?;
        }
        Ok(())
    }

    fn differ(
        &mut self,
        path: &str,
        (was, now): (Option<Entry>, Option<Entry>),
        files: &mut Vec<String>,
    ) -> Result<(), RepositoryError> {
        let is_file = |entry: &Option<Entry>| entry.as_ref().is_some_and(|entry| !entry.is_tree);
        if is_file(&was) || is_file(&now) {
            files.push(path.to_owned());
        }
        let tree = |entry: &'_ Option<Entry>| {
            let entry = entry.as_ref().filter(|entry| entry.is_tree);
            entry.map(|entry| entry.id.clone())
        };
        let (was, now) = (tree(&was), tree(&now));
        match was.is_some() || now.is_some() {
            true => self.compare((was.as_ref(), now.as_ref()), &format!("{path}/"), files),
            false => Ok(()),
        }
    }

    fn tree(&self, id: Option<&CommitId>) -> Result<BTreeMap<String, Entry>, RepositoryError> {
        let found = match id {
            Some(id) => self.read(id.as_str())?,
            None => None,
        };
        let tree = found.filter(|(kind, _)| *kind == Kind::Tree);
        let bytes = tree.map(|(_, bytes)| bytes).unwrap_or_default();
        Ok(entries(&bytes, self.location.id_bytes))
    }
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    id: CommitId,
    is_tree: bool,
    mode: Vec<u8>,
}

fn entries(mut bytes: &[u8], id_bytes: usize) -> BTreeMap<String, Entry> {
    let mut found = BTreeMap::new();
    while let Some(space) = memchr::memchr(b' ', bytes)
        && let Some(end) = memchr::memchr(0, bytes)
        && space < end
        && bytes.len() > end + id_bytes
    {
        let mode = bytes[..space].to_vec();
        let name = String::from_utf8_lossy(&bytes[space + 1..end]).into_owned();
        let id = &bytes[end + 1..=end + id_bytes];
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes = &bytes[end + 1 + id_bytes..];
        if let Some(id) = CommitId::from_ref(id.as_bytes()) {
            let is_tree = mode == b"40000";
            found.insert(name, Entry { id, is_tree, mode });
        }
    }
    found
}

fn ask(talk: &mut Conversation, name: &str) -> std::io::Result<Option<(Kind, Vec<u8>)>> {
    // A line break would be a second question.
    talk.say(format!("{}\n", name.replace('\n', " ")).as_bytes())?;
    let head = talk.line()?;
    let mut words = head.rsplit(|byte| *byte == b' ');
    let size = words.next().and_then(|word| std::str::from_utf8(word).ok());
    let Some(size) = size.and_then(|size| size.parse::<usize>().ok()) else {
        return Ok(None);
    };
    let kind = match words.next() {
        Some(b"commit") => Kind::Commit,
        Some(b"tree") => Kind::Tree,
        Some(b"blob") => Kind::Blob,
        _ => Kind::Other,
    };
    if size > LARGEST {
        talk.skip(size + 1)?;
        return Ok(None);
    }
    let mut bytes = talk.bytes(size + 1)?;
    bytes.truncate(size);
    Ok(Some((kind, bytes)))
}

fn parsed(id: CommitId, bytes: &[u8]) -> Option<Commit> {
    let (mut tree, mut parents) = (None, Vec::new());
    let (mut author, mut time) = (String::new(), 0);
    let mut lines = bytes.split(|byte| *byte == b'\n');
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let Some(space) = memchr::memchr(b' ', line) else {
            continue;
        };
        let value = &line[space + 1..];
        match &line[..space] {
            b"tree" => tree = CommitId::from_ref(value),
            b"parent" => parents.extend(CommitId::from_ref(value)),
            b"author" => {
                let name = memchr::memmem::find(value, b" <").unwrap_or(value.len());
                author = String::from_utf8_lossy(&value[..name]).into_owned();
            }
            b"committer" => {
                let mut words = value.rsplit(|byte| *byte == b' ');
                let seconds = words.nth(1).and_then(|word| std::str::from_utf8(word).ok());
                time = seconds.and_then(|word| word.parse().ok()).unwrap_or(0);
            }
            _ => {}
        }
    }
    let mut message = lines.skip_while(|line| line.trim_ascii().is_empty());
    let subject = message.by_ref();
    let subject = subject.take_while(|line| !line.trim_ascii().is_empty());
    let subject: Vec<_> = subject.map(String::from_utf8_lossy).collect();
    let body: Vec<_> = message.map(String::from_utf8_lossy).collect();
    Some(Commit {
        id,
        tree: tree?,
        parents,
        author,
        subject: subject.join(" "),
        body: body.join("\n").trim().to_owned(),
        time,
    })
}

/// A walk through the commits, the newest first.
struct Walk {
    known: HashMap<CommitId, Seen>,
    waiting: BinaryHeap<(i64, CommitId)>,
    /// How many of those that wait are not old.
    new_waiting: usize,
    order: Vec<CommitId>,
    /// The time of the oldest commit in it.
    oldest: i64,
    /// How many more old commits are looked at although they are older than all new ones.
    slack: usize,
    reaches: bool,
}

struct Seen {
    commit: Commit,
    /// Whether the other side has it too.
    is_old: bool,
    is_waiting: bool,
}

impl Walk {
    fn new() -> Self {
        Self {
            known: HashMap::new(),
            waiting: BinaryHeap::new(),
            new_waiting: 0,
            order: Vec::new(),
            oldest: i64::MAX,
            slack: SLACK,
            reaches: false,
        }
    }

    fn add(&mut self, commit: Commit, is_old: bool) {
        if let Some(seen) = self.known.get(&commit.id) {
            if is_old && !seen.is_old {
                self.grow_old(commit.id);
            }
            return;
        }
        self.waiting.push((commit.time, commit.id.clone()));
        self.new_waiting += usize::from(!is_old);
        let seen = Seen {
            is_old,
            is_waiting: true,
            commit,
        };
        self.known.insert(seen.commit.id.clone(), seen);
    }

    /// The next commit to look at; `None` once only old ones are left, none of which can make a new one old.
    fn next(&mut self) -> Option<CommitId> {
        if self.new_waiting == 0 {
            let (time, _) = self.waiting.peek()?;
            if *time < self.oldest {
                // Clocks differ.
                self.slack = self.slack.checked_sub(1)?;
            }
        }
        let (time, id) = self.waiting.pop()?;
        let seen = self.known.get_mut(&id)?;
        seen.is_waiting = false;
        if !seen.is_old {
            self.new_waiting -= 1;
            self.oldest = self.oldest.min(time);
            self.order.push(id.clone());
        }
        Some(id)
    }

    fn parents_of(&self, id: &CommitId) -> Option<(Vec<CommitId>, bool)> {
        let seen = self.known.get(id)?;
        Some((seen.commit.parents.clone(), seen.is_old))
    }

    /// Marks a commit and its known ancestors as old.
    fn grow_old(&mut self, id: CommitId) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let Some(seen) = self.known.get_mut(&id).filter(|seen| !seen.is_old) else {
                continue;
            };
            seen.is_old = true;
            self.new_waiting -= usize::from(seen.is_waiting);
            left.extend(seen.commit.parents.iter().cloned());
        }
    }

    fn finish(mut self, is_same: bool) -> Since {
        let commits = self.order.iter().filter_map(|id| self.known.remove(id));
        let new = commits.filter(|seen| !seen.is_old && seen.commit.parents.len() < 2);
        Since {
            commits: new.map(|seen| seen.commit).collect(),
            is_ancestor: self.reaches || is_same,
        }
    }
}
