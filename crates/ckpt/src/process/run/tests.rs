use super::*;

fn ran(commands: &[&str], limit: Option<Duration>) -> (RunResult, Vec<u8>) {
    let commands: Vec<String> = commands
        .iter()
        .map(|command| (*command).to_owned())
        .collect();
    let mut printed = Vec::new();
    let result = run(
        &RunRequest {
            commands: &commands,
            name: &family::fresh_name(),
            directory: Path::new("/"),
            time_limit: limit,
            stop: &AtomicBool::new(false),
        },
        &mut |piece| printed.extend_from_slice(piece),
    );
    (result, printed)
}

#[test]
fn both_streams_are_passed_on_and_the_ending_is_reported() {
    let (result, printed) = ran(&["echo out; echo err >&2; exit 3", "echo never"], None);
    assert_eq!(result.ending, Ending::Exited(3));
    assert_eq!(printed, b"out\nerr\n");
    assert_eq!(result.output_tail, "out\nerr\n");
    assert_eq!(result.output_bytes, 8);
    let (result, _) = ran(&["kill -9 $$"], None);
    assert_eq!(result.ending, Ending::Signalled(9));
    let (result, _) = ran(&["no-such-command-anywhere"], None);
    assert_eq!(result.ending, Ending::Exited(127));
    let (result, printed) = ran(&["true", "printf '\\377\\376'"], None);
    assert!(result.ending.passed());
    assert_eq!(
        (printed.as_slice(), result.output_tail.as_str()),
        (&b"\xff\xfe"[..], "\u{fffd}\u{fffd}")
    );
}

fn assert_gone(process: &[u8]) {
    let process = std::str::from_utf8(process).unwrap();
    let path = format!("/proc/{}/stat", process.trim());
    let gone = |_: u32| {
        thread::sleep(Duration::from_millis(10));
        // A process that has exited but was not waited for is a zombie.
        std::fs::read_to_string(&path).map_or(true, |stat| stat.contains(") Z"))
    };
    assert!((0..500).any(gone), "{path}");
}

#[test]
fn what_hangs_is_ended_with_all_that_it_started() {
    let limit = Some(Duration::from_millis(200));
    let (result, printed) = ran(&["sleep 1000 & echo $!; sleep 1000"], limit);
    assert_eq!(result.ending, Ending::TimedOut);
    assert_gone(&printed);
}

#[test]
#[cfg(target_os = "linux")]
fn what_leaves_the_group_is_ended_as_well() {
    let daemon = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.3";
    let (result, printed) = ran(&[daemon], None);
    assert_eq!(result.ending, Ending::Exited(0));
    assert_gone(&printed);
}

#[test]
fn what_gets_away_does_not_keep_the_gate_open() {
    let away = "env -u CKPT_GATE_RUN setsid sh -c 'echo $$; exec sleep 30' & sleep 0.3";
    let (result, printed) = ran(&[away], None);
    assert_eq!(result.ending, Ending::Exited(0));
    assert!(result.duration < Duration::from_secs(20));
    let process: i32 = String::from_utf8(printed).unwrap().trim().parse().unwrap();
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn what_is_left_in_the_background_does_not_keep_the_gate_open() {
    let (result, _) = ran(&["sleep 1000 & exit 0"], None);
    assert_eq!(result.ending, Ending::Exited(0));
    assert!(result.duration < Duration::from_secs(100));
}

#[test]
fn much_output_is_counted_and_only_its_end_is_kept() {
    let (result, _) = {
        let mut count = 0_u64;
        let commands = ["head -c 30000000 /dev/zero | tr '\\0' x; echo end".to_owned()];
        let result = run(
            &RunRequest {
                commands: &commands,
                name: &family::fresh_name(),
                directory: Path::new("/"),
                time_limit: None,
                stop: &AtomicBool::new(false),
            },
            &mut |piece| count += piece.len() as u64,
        );
        (result, count)
    };
    assert_eq!(result.output_bytes, 30_000_004);
    assert_eq!(result.output_tail.len(), TAIL_BYTES);
    assert!(result.output_tail.ends_with("xend\n"));
}
