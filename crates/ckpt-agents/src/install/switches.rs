//! Settings that turn off all hooks.

use super::source::{Source, member};

/// One of the settings files that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer<'l> {
    /// Where it is.
    pub name: &'l str,
    /// Its content.
    pub text: &'l str,
    /// Who wrote it.
    pub author: Author,
}

/// Who wrote settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// An organisation, for its machines. Its settings take precedence.
    Organisation,
    /// The user.
    User,
}

/// A switch that turns hooks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off<'l> {
    /// The file that it is in.
    pub layer: Layer<'l>,
    /// Its name.
    pub key: &'static str,
}

/// The switch that turns hooks off in Claude Code, given settings in order of precedence. The first that has
/// `disableAllHooks` decides; only an organisation can restrict hooks to its own.
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

/// Whether settings of Claude Code enable the plugin; `None` if they do not mention it.
#[must_use]
pub fn plugin_is_enabled(text: &str) -> Option<bool> {
    let source = Source::parse(text).ok()?;
    let plugins = member(source.object()?, "enabledPlugins")?
        .value
        .as_object()?;
    let mut plugins = plugins.properties.iter();
    let plugin = plugins.find(|plugin| plugin.name.as_str().split('@').next() == Some("ckpt"))?;
    Some(plugin.value.as_boolean_lit()?.value)
}

/// The value of a switch, if the settings have it.
fn says(text: &str, key: &str) -> Option<bool> {
    let source = Source::parse(text).ok()?;
    let value = member(source.object()?, key)?.value.as_boolean_lit()?;
    Some(value.value)
}

#[cfg(test)]
mod tests;
