//! What a script asks for besides the invariants.

use std::fs;
use std::path::Path;

/// The lines of a script that begin with `#:`.
///
/// | line | meaning |
/// |---|---|
/// | `#: short` | the clone is large: only the most common commands are run |
/// | `#: in DIRECTORY` | the battery is run there instead of at the top |
/// | `#: with NAME=VALUE` | a variable that the clone sets through the settings of an agent; an empty value unsets it |
/// | `#: hooks-with NAME=VALUE` | the same, for hooks alone |
/// | `#: blocked KEY` | `gate check KEY` exits with 6, and a push is denied |
/// | `#: checked KEY` | `gate check KEY` exits with 6; a push sends commits, and those were approved |
/// | `#: denied` | a push is denied, and `gate check` never exits with 0 |
/// | `#: every-push` | pushes that are hard to recognise are denied too |
/// | `#: one-late` | at most one background process runs at a time |
/// | `#: one-line` | `init` leaves no hook that another client reads as a bare `ckpt` |
/// | `#: unproven ID` | `pipeline gate check ID` exits with 6, and nothing calls a gate proven |
/// | `#: never TEXT` | no output contains this text |
/// | `#: refused TEXT` | `status` fails and says this |
/// | `#: untouched` | not even state is written |
/// | `#: keeps FILE` | the file stays as it is, whatever is typed |
/// | `#: lacks FILE TEXT` | the file does not get this text, whatever is typed |
/// | `#: root DIRECTORY GIT` | git treats the directory as its own repository, with this git directory |
/// | `#: private` | only the user can read what their agent said, and git does not add it |
/// | `#: says TEXT` | `status` says this: the clone works |
#[derive(Default)]
pub(super) struct Wishes {
    pub(super) short: bool,
    pub(super) directory: String,
    pub(super) variables: Vec<(String, String)>,
    pub(super) hook_variables: Vec<(String, String)>,
    pub(super) blocked: Vec<String>,
    pub(super) checked: Vec<String>,
    pub(super) denied: bool,
    pub(super) every_push: bool,
    pub(super) one_late: bool,
    pub(super) one_line: bool,
    pub(super) unproven: Vec<String>,
    pub(super) never: Vec<String>,
    pub(super) refused: Option<String>,
    pub(super) untouched: bool,
    pub(super) keeps: Vec<String>,
    pub(super) lacks: Vec<(String, String)>,
    pub(super) root: Option<(String, String)>,
    pub(super) private: bool,
    pub(super) says: Vec<String>,
}

impl Wishes {
    pub(super) fn read(script: &Path) -> Self {
        let text = fs::read_to_string(script).unwrap();
        let mut wishes = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("#: ")) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "short" => wishes.short = true,
                "in" => rest.clone_into(&mut wishes.directory),
                "with" => {
                    let (name, value) = rest.split_once('=').unwrap();
                    wishes.variables.push((name.to_owned(), value.to_owned()));
                }
                "hooks-with" => {
                    let (name, value) = rest.split_once('=').unwrap();
                    let pair = (name.to_owned(), value.to_owned());
                    wishes.hook_variables.push(pair);
                }
                "blocked" => wishes.blocked.push(rest.to_owned()),
                "checked" => wishes.checked.push(rest.to_owned()),
                "denied" => wishes.denied = true,
                "every-push" => wishes.every_push = true,
                "one-late" => wishes.one_late = true,
                "one-line" => wishes.one_line = true,
                "unproven" => wishes.unproven.push(rest.to_owned()),
                "never" => wishes.never.push(rest.to_owned()),
                "refused" => wishes.refused = Some(rest.to_owned()),
                "untouched" => wishes.untouched = true,
                "keeps" => wishes.keeps.push(rest.to_owned()),
                "lacks" => {
                    let (file, text) = rest.split_once(' ').unwrap();
                    wishes.lacks.push((file.to_owned(), text.to_owned()));
                }
                "root" => {
                    let (directory, git) = rest.split_once(' ').unwrap();
                    wishes.root = Some((format!("{directory}/"), format!("{git}/")));
                }
                "private" => wishes.private = true,
                "says" => wishes.says.push(rest.to_owned()),
                other => panic!("{}: what is {other}?", script.display()),
            }
        }
        wishes
    }
}
