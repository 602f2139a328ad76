//! The schemas of the file formats and of `--json` output.
//!
//! Tests (`generate.rs`) derive them from the types and compare them with the copies checked in under `schema/`, so
//! printing them costs nothing and a type cannot change without its schema.

#[cfg(test)]
mod generate;
#[cfg(test)]
mod markdown;
#[cfg(test)]
mod typescript;

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A command checkpoint
    Command,
    /// A pipeline checkpoint
    Pipeline,
    /// The state of a plan (state.json)
    PlanState,
    /// One line of a history
    History,
    /// The backup of a plan's state (recovery.json)
    Recovery,
    /// A request to a sub-agent
    HandoffRequest,
    /// A sub-agent's response
    HandoffResponse,
    /// A message to a webhook
    Webhook,
    /// The output of --json, by command
    Output,
}

/// The notation of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// JSON Schema 2020-12
    JsonSchema,
    /// TypeScript declarations
    Typescript,
    /// A Markdown document for people and agents
    Markdown,
}

/// Embeds each schema in every format.
macro_rules! texts {
    ($($kind:ident = $name:literal,)+) => {
        impl Kind {
            /// The text of the schema in one format.
            pub(crate) fn text(self, format: Format) -> &'static str {
                match (self, format) {
                    $((Self::$kind, Format::JsonSchema) => {
                        include_str!(concat!("../../../../schema/", $name, ".schema.json"))
                    }
                    (Self::$kind, Format::Typescript) => {
                        include_str!(concat!("../../../../schema/", $name, ".d.ts"))
                    }
                    (Self::$kind, Format::Markdown) => {
                        include_str!(concat!("../../../../schema/", $name, ".md"))
                    })+
                }
            }
        }
    };
}

texts! {
    Command = "command",
    Pipeline = "pipeline",
    PlanState = "plan-state",
    History = "history",
    Recovery = "recovery",
    HandoffRequest = "handoff-request",
    HandoffResponse = "handoff-response",
    Webhook = "webhook",
    Output = "output",
}
