//! The schemas of the formats and of what `--json` prints.
//!
//! They are made of the types by the tests (`generate.rs`) and checked in under `schema/`, so that printing them costs
//! nothing and a change of a type that forgets them fails.

#[cfg(test)]
mod generate;
#[cfg(test)]
mod markdown;
#[cfg(test)]
mod typescript;

/// What there is a schema of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A command checkpoint
    Command,
    /// A pipeline checkpoint
    Pipeline,
    /// The state of a plan: state.json
    PlanState,
    /// A line of a history
    History,
    /// The copy of a plan's state: recovery.json
    Recovery,
    /// A task for a sub-agent
    HandoffRequest,
    /// What a sub-agent answers
    HandoffResponse,
    /// What --json prints, by command
    Output,
}

/// How a schema is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// JSON Schema 2020-12
    JsonSchema,
    /// TypeScript declarations
    Typescript,
    /// A document for people and agents
    Markdown,
}

/// The three forms of a schema.
macro_rules! texts {
    ($($kind:ident = $name:literal,)+) => {
        impl Kind {
            /// The schema in a form.
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
    Output = "output",
}
