//! The files that a patch in Codex's format touches.

/// The paths in the headers of a patch, as written.
pub(crate) fn files(patch: &str) -> impl Iterator<Item = &str> {
    let headers = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    patch.lines().filter_map(move |line| {
        let path = headers
            .iter()
            .find_map(|header| line.strip_prefix(header))?;
        Some(path.trim()).filter(|path| !path.is_empty())
    })
}

#[cfg(test)]
mod tests;
