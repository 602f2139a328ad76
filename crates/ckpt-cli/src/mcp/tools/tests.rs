use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::*;

/// How many tokens a value takes, as clients pass it on.
fn tokens(value: &Value) -> usize {
    ckpt_tokens::O200K.count(&value.to_string())
}

#[test]
fn what_clients_are_told_about_the_tools_is_short() {
    let tools = ALL.map(Entry::described);
    let told: usize = tools
        .iter()
        .map(|tool| {
            tokens(&json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": *tool.input_schema,
            }))
        })
        .sum();
    assert!(told <= 1_500, "{told} tokens");
    let outputs = tools
        .iter()
        .filter_map(|tool| tool.output_schema.as_deref());
    let outputs: usize = outputs.map(|schema| tokens(&json!(schema))).sum();
    assert!(outputs <= 1_000, "{outputs} tokens");
}

#[test]
fn a_schema_says_nothing_that_a_client_does_not_need() {
    fn names(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                found.extend(object.keys().cloned());
                object.values().for_each(|value| names(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }
    for tool in ALL {
        let schemas: [JsonObject; 2] = [(tool.input)(), (tool.output)()];
        for schema in schemas {
            let mut found = Vec::new();
            names(&Value::Object(schema), &mut found);
            for unwanted in ["$schema", "$defs", "$ref", "title", "format", "anyOf"] {
                assert!(!found.iter().any(|name| name == unwanted), "{}", tool.name);
            }
        }
    }
}

#[test]
fn a_tool_that_changes_something_says_so() {
    let reading: Vec<&str> = ALL
        .iter()
        .filter(|tool| tool.described().annotations.unwrap().read_only_hint == Some(true))
        .map(|tool| tool.name)
        .collect();
    assert_eq!(reading, ["resume", "status", "log"]);
    let destructive: Vec<&str> = ALL
        .iter()
        .filter(|tool| tool.described().annotations.unwrap().destructive_hint == Some(true))
        .map(|tool| tool.name)
        .collect();
    assert_eq!(destructive, ["gate"]);
}
