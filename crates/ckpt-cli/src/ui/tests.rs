use super::*;

fn call(input: &[u8]) -> Ui {
    Ui::of_call(Variables::Given(Default::default()), input.to_vec())
}

#[test]
fn the_output_of_a_call_is_kept_without_terminal_control_characters() {
    let mut ui = call(b"");
    ui.text("\u{1b}[32mgreen\u{1b}[0m\u{7}\n").unwrap();
    ui.json(&serde_json::json!({ "name": "\u{202e}" })).unwrap();
    ui.note("one\n\u{1b}[31mline");
    let (output, notes) = ui.into_said();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "green \n{\"format\":1,\"name\":\"\\u202e\"}\n"
    );
    assert_eq!(notes, ["one [31mline"]);
}

#[test]
fn bytes_and_content_of_a_call_stay_as_they_are() {
    let mut ui = call(b"");
    ui.raw(b"\x1b[1m").unwrap();
    ui.content("\u{7}").unwrap();
    assert_eq!(ui.into_said().0, b"\x1b[1m\x07");
}

#[test]
fn a_call_reads_what_it_was_given_once_and_asks_nobody() {
    let mut ui = call(b"given");
    assert_eq!(ui.input().unwrap(), b"given");
    assert_eq!(ui.input().unwrap(), b"");
    assert!(!ui.is_attended() && !ui.is_shown());
    assert_eq!(ui.ask("name: "), None);
    assert!(!ui.is_agreed("really?"));
}

#[test]
fn notes_from_another_thread_are_kept_while_the_call_lasts() {
    let ui = call(b"");
    let notes = ui.notes();
    std::thread::spawn(move || notes.add("slow"))
        .join()
        .unwrap();
    assert_eq!(ui.into_said().1, ["slow"]);
}
