use super::{Program, is_ours, windows_words, words};
use crate::agent::Agent;

const PATHS: [&str; 9] = [
    "ckpt",
    "/usr/local/bin/ckpt",
    "/opt/my tools/ckpt",
    "/opt/it's \"here\"/ckpt",
    "/opt/$HOME/`x`/a\\b;c&d/ckpt",
    "/opt/ünï/ckpt",
    "C:\\tools\\ckpt.exe",
    "C:\\Program Files\\it's\\ckpt.exe",
    "\\\\server\\share\\ckpt.exe",
];

#[test]
fn a_command_line_reads_back_as_the_words_it_was_made_of() {
    for path in PATHS {
        let program = Program::new(path);
        let expected = [path, "hook", "codex"].map(str::to_owned);
        let lines = [
            words(&program.shell_line(Agent::Codex)),
            windows_words(&program.powershell_line(Agent::Codex)),
        ];
        for line in lines {
            assert_eq!(line.as_deref(), Some(expected.as_slice()), "{path}");
            assert!(is_ours(&expected, Agent::Codex));
        }
    }
}

#[test]
fn a_program_of_another_version_is_ours_and_another_program_is_not() {
    for ours in ["/opt/ckpt-0.2", "ckpt_new", "ckpt.exe", "/x/ckpt2"] {
        let words = [ours, "hook", "claude"].map(str::to_owned);
        assert!(is_ours(&words, Agent::Claude), "{ours}");
        assert!(!is_ours(&words, Agent::Codex), "{ours}");
    }
    for theirs in ["/opt/ckptool", "mycpkt", "bin/check", "ckpt/other"] {
        let words = [theirs, "hook", "claude"].map(str::to_owned);
        assert!(!is_ours(&words, Agent::Claude), "{theirs}");
    }
}

#[test]
fn plain_paths_are_not_quoted_and_others_are_as_their_shell_has_it() {
    let lines = |path: &str| {
        let program = Program::new(path);
        [
            program.shell_line(Agent::Cursor),
            program.posix_line(Agent::Cursor),
            program.powershell_line(Agent::Cursor),
        ]
    };
    assert_eq!(lines("/bin/ckpt"), ["/bin/ckpt hook cursor"; 3]);
    assert_eq!(
        lines("/a b's/ckpt"),
        [
            r"'/a b'\''s/ckpt' hook cursor",
            r"'/a b'\''s/ckpt' hook cursor",
            "& '/a b''s/ckpt' hook cursor"
        ]
    );
    assert_eq!(
        lines("C:\\a b\\ckpt.exe"),
        [
            "\"C:\\a b\\ckpt.exe\" hook cursor",
            "'C:\\a b\\ckpt.exe' hook cursor",
            "& 'C:\\a b\\ckpt.exe' hook cursor"
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_shell_sees_the_same_words() {
    for path in PATHS {
        let line = Program::new(path).posix_line(Agent::Gemini);
        let script = format!("printf '%s\\n' {line}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{path}\nhook\ngemini\n")
        );
    }
}

#[test]
fn only_a_plain_call_of_the_program_for_the_agent_is_ours() {
    let ours = |line: &str| words(line).is_some_and(|words| is_ours(&words, Agent::Codex));
    for line in [
        "ckpt hook codex",
        "  ckpt   hook  codex ",
        "'/a b/ckpt' hook codex",
        "\"/a b/ckpt\" hook 'codex'",
        "/a\\ b/ckpt hook codex",
        "$HOME/bin/ckpt hook codex",
        "C:\\bin\\ckpt.exe hook codex",
        "& 'C:\\a b\\ckpt.exe' hook codex",
    ] {
        assert!(ours(line), "{line}");
    }
    for line in [
        "",
        "ckpt",
        "ckpt hook claude",
        "ckpt hook codex --json",
        "ckpt hook codex || true",
        "ckpt hook codex; rm x",
        "ckpt hook codex&",
        "ckpt hook\ncodex",
        "echo ckpt hook codex",
        "mckpt hook codex",
        "/ckpt/other hook codex",
        "'ckpt hook codex",
        "\"ckpt hook codex",
        "ckpt hook codex\\",
    ] {
        assert!(!ours(line), "{line}");
    }
}
