use std::path::PathBuf;

use crate::event::{Event, Happening, Tool};

#[test]
fn all_files_of_a_patch_are_named() {
    let patch = "*** Begin Patch\\n*** Add File: a b.md\\n+x\\n*** Update File: c.rs\\n*** Move to: d.rs\\n*** Delete File: e.rs\\n*** Update File: \\n*** End Patch";
    let payload = format!(
        r#"{{"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}}}}"#
    );
    let event = Event::read(payload.as_bytes()).unwrap();
    let files = ["a b.md", "c.rs", "d.rs", "e.rs"]
        .map(PathBuf::from)
        .to_vec();
    assert_eq!(event.happening, Happening::AfterTool(Tool::Edit { files }));
}
