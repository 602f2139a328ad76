//! The tools: what clients are told about them, and what they do.
//!
//! What clients are told goes into the context of every session, so there are few tools and few words.

mod gate;
mod handoff;
mod pipeline;
mod plan;
mod work;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call::{Call, Refused};

/// A tool. It makes one call of the engine.
trait Tool {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    type Input: DeserializeOwned + JsonSchema;
    type Output: Serialize + JsonSchema;

    fn run(call: &Call, input: Self::Input) -> Result<Self::Output, Refused>;
}

/// What a tool may do, so that clients know when to ask the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It changes nothing.
    Reads,
    /// It records something, and everything recorded before stays in the history.
    Records,
    /// It runs a program that may do anything.
    Runs,
}

/// A tool, whatever its types are.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    name: &'static str,
    description: &'static str,
    effect: Effect,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    run: fn(&Call, Value) -> Result<Value, Refused>,
}

/// All tools, in the order in which clients are told about them.
pub(super) const ALL: [Entry; 10] = [
    Entry::of::<work::Resume>(),
    Entry::of::<work::Status>(),
    Entry::of::<work::Start>(),
    Entry::of::<work::Phase>(),
    Entry::of::<work::Close>(),
    Entry::of::<plan::Plan>(),
    Entry::of::<pipeline::Pipeline>(),
    Entry::of::<gate::Gate>(),
    Entry::of::<handoff::Handoff>(),
    Entry::of::<work::Log>(),
];

impl Entry {
    const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            description: T::DESCRIPTION,
            effect: T::EFFECT,
            input: schema_of::<T::Input>,
            output: schema_of::<T::Output>,
            run: run::<T>,
        }
    }

    /// The tool with this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        ALL.into_iter().find(|tool| tool.name == name)
    }

    /// What clients are told about it.
    pub(super) fn described(self) -> Described {
        let hints = ToolAnnotations::new()
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Runs)
            .idempotent(self.effect == Effect::Reads)
            .open_world(self.effect == Effect::Runs);
        Described::new(self.name, self.description, Arc::new((self.input)()))
            .with_raw_output_schema(Arc::new((self.output)()))
            .with_annotations(hints)
    }

    /// Calls it.
    pub(super) fn call(self, call: &Call, input: Value) -> Result<Value, Refused> {
        (self.run)(call, input)
    }
}

fn run<T: Tool>(call: &Call, input: Value) -> Result<Value, Refused> {
    let input = serde_path_to_error::deserialize(input).map_err(|error| {
        let member = error.path().to_string();
        let member = Some(member).filter(|member| member != ".");
        let member = member.map_or_else(String::new, |member| format!("{member}: "));
        let reason = in_words_of_json(&error.inner().to_string());
        Refused(format!("{}: {member}{reason}. Nothing was done.", T::NAME))
    })?;
    let output = T::run(call, input)?;
    serde_json::to_value(output).map_err(|error| Refused(error.to_string()))
}

/// A message about types, for somebody who writes JSON.
fn in_words_of_json(message: &str) -> String {
    let words = [
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected string or map", "expected a string"),
        ("unknown variant", "unknown value"),
        ("expected a sequence", "expected an array"),
        ("type: sequence", "type: array"),
        ("type: map", "type: object"),
    ];
    let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
    words.iter().fold(message.to_owned(), replace)
}

/// The schema of a type, without what only costs tokens.
fn schema_of<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(shorten));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    match schema.to_value() {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// Drops titles, number formats and defaults, and that what is optional may also be null.
fn shorten(schema: &mut Schema) {
    for name in ["title", "format", "minimum", "default"] {
        schema.remove(name);
    }
    if let Some(Value::Array(types)) = schema.get("type")
        && let [one, Value::String(null)] = types.as_slice()
        && null == "null"
    {
        let one = one.clone();
        schema.insert("type".to_owned(), one);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    // An optional choice is written as a choice between the choice and null.
    if let Some(Value::Array(choices)) = schema.get("anyOf")
        && let [Value::Object(one), _] = choices.as_slice()
    {
        let one = one.clone();
        schema.remove("anyOf");
        for (name, value) in one {
            schema.insert(name, value);
        }
    }
}

/// What an action needs, or a sentence that says so.
fn needed<T>(tool: &str, action: &str, name: &str, value: Option<T>) -> Result<T, Refused> {
    value.ok_or_else(|| {
        Refused(format!(
            "{tool}: the action {action} needs {name:?}. Nothing was done."
        ))
    })
}

#[cfg(test)]
mod tests;
