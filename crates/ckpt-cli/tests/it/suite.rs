//! The suite itself: every file is part of it.

use std::path::Path;

/// Finds the files and folders with Rust code that the module list of their folder does not declare.
fn find_forgotten(folder: &Path, list: &str, forgotten: &mut Vec<String>) {
    let declarations = std::fs::read_to_string(folder.join(list)).unwrap_or_default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_module = match path.is_dir() {
            true => path.join("mod.rs").exists(),
            false => name.ends_with(".rs") && name != list,
        };
        let declaration = format!("mod {};", name.trim_end_matches(".rs"));
        let is_declared = declarations
            .lines()
            .any(|line| line.trim_start_matches("pub(crate) ") == declaration);
        if is_module && !is_declared {
            forgotten.push(path.display().to_string());
        }
        if path.is_dir() {
            find_forgotten(&path, "mod.rs", forgotten);
        }
    }
}

#[test]
fn every_file_of_this_suite_is_part_of_it() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"));
    let mut forgotten = Vec::new();
    find_forgotten(directory, "main.rs", &mut forgotten);
    assert_eq!(forgotten, Vec::<String>::new());
}
