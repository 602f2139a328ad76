//! What this thread has last loaded from each file, or saved there.
//!
//! A document that is saved was made from it, if its caller does not know better. Each thread of Node has values of its
//! own, and so a memory of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

thread_local! {
    static TEXTS: RefCell<HashMap<PathBuf, String>> = RefCell::new(HashMap::new());
}

/// Nobody works on more at once. Who does, and has only copies of what was loaded, is told of no conflict.
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
