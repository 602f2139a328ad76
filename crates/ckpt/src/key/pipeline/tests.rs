use super::*;

#[test]
fn ids_become_file_names_that_stay_in_their_directory() {
    for (id, stem) in [
        ("PRD-003", "PRD-003"),
        ("PRD-038A", "PRD-038A"),
        ("GAP/1", "GAP-1"),
        ("../../x", "--x"),
    ] {
        assert_eq!(PipelineId::new(id).unwrap().stem(), stem);
    }
    assert_eq!(PipelineId::new(".."), Err(KeyError::Pipeline("..".into())));
    let hidden = KeyError::Hidden("pipeline", ".SPEC".into());
    assert_eq!(PipelineId::new(".SPEC"), Err(hidden));
}
