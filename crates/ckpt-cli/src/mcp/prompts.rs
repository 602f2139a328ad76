//! The prompts: the seven commands, and resume.

use ckpt_agents::install::{Prompt as Text, prompt, prompts};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// The argument of every prompt.
const ARGUMENT: &str = "arguments";

/// All prompts.
pub(super) fn all() -> Vec<Prompt> {
    prompts().map(|text| described(&text)).collect()
}

fn described(text: &Text) -> Prompt {
    let argument = PromptArgument::new(ARGUMENT)
        .with_description(text.hint)
        .with_required(false);
    Prompt::new(
        text.name,
        Some(text.description.clone()),
        Some(vec![argument]),
    )
}

/// A prompt with its arguments filled in, or why there is none.
pub(super) fn filled_in(
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, String> {
    let text = prompt(name).ok_or_else(|| format!("there is no prompt {name:?}"))?;
    let typed = match arguments.and_then(|arguments| arguments.get(ARGUMENT)) {
        None => "",
        Some(Value::String(typed)) => typed,
        Some(_) => return Err(format!("{name}: {ARGUMENT:?} must be a string")),
    };
    let message = PromptMessage::new_text(Role::User, text.asked_with(typed));
    Ok(GetPromptResult::new(vec![message]).with_description(text.description))
}
