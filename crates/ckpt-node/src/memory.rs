//! Remembers what this thread last loaded from each file or saved there.
//!
//! A saved document counts as made from that, unless the caller says otherwise. Each thread of Node has its own values,
//! and so its own memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

thread_local! {
    static TEXTS: RefCell<HashMap<PathBuf, String>> = RefCell::new(HashMap::new());
}

/// More files than anyone works on at once. Beyond that, the memory is cleared, and conflicts go undetected for callers
/// that save copies of what they loaded.
const MOST: usize = 1000;

/// Keeps the text of a document.
pub fn keep(path: PathBuf, text: String) {
    TEXTS.with_borrow_mut(|texts| {
        if texts.len() >= MOST {
            texts.clear();
        }
        texts.insert(path, text);
    });
}

/// The text that was kept last.
pub fn of(path: &Path) -> Option<String> {
    TEXTS.with_borrow(|texts| texts.get(path).cloned())
}
