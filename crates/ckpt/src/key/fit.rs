//! Which of several checkpoints is meant by a name that they have in different cases.

/// How well a name fits what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It is exactly that.
    Exact,
    /// It is that in another case.
    OtherCase,
}

/// The first of these whose name is exactly what was typed; only without one, the first whose name is that in another case.
pub(crate) fn closest<T>(
    all: impl IntoIterator<Item = T>,
    fit: impl Fn(&T) -> Option<Fit>,
) -> Option<T> {
    let mut in_other_case = None;
    for one in all {
        match fit(&one) {
            Some(Fit::Exact) => return Some(one),
            Some(Fit::OtherCase) => in_other_case = in_other_case.or(Some(one)),
            None => {}
        }
    }
    in_other_case
}
