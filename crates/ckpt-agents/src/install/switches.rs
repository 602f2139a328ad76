//! Settings that keep an agent from calling any hooks.

use super::source::{Source, member};

/// One of the settings files that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer<'l> {
    /// Where it is.
    pub name: &'l str,
    /// What it says.
    pub text: &'l str,
    /// Who has written it.
    pub author: Author,
}

/// Who has written settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// An organisation, for its machines. What it says beats everything.
    Organisation,
    /// Whoever works here.
    User,
}

/// A switch that keeps hooks from being called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off<'l> {
    /// The file that it is in.
    pub layer: Layer<'l>,
    /// What it is called there.
    pub key: &'static str,
}

/// What keeps Claude Code from calling hooks, of settings in the order in which they count. The first that says anything
/// of `disableAllHooks` decides; only an organisation can have its own hooks called and no others.
#[must_use]
pub fn switched_off<'l>(layers: &[Layer<'l>]) -> Option<Off<'l>> {
    let off = |key: &'static str, is_asked: fn(&Layer<'_>) -> bool| {
        let mut said = layers.iter().filter(|layer| is_asked(layer));
        let first = said.find_map(|layer| Some((*layer, says(layer.text, key)?)));
        let (layer, _) = first.filter(|(_, is_on)| *is_on)?;
        Some(Off { layer, key })
    };
    off("disableAllHooks", |_| true).or_else(|| {
        off("allowManagedHooksOnly", |layer| {
            layer.author == Author::Organisation
        })
    })
}

/// What settings say of a switch, if anything.
fn says(text: &str, key: &str) -> Option<bool> {
    let source = Source::parse(text).ok()?;
    let value = member(source.object()?, key)?.value.as_boolean_lit()?;
    Some(value.value)
}

#[cfg(test)]
mod tests;
