//! The schemas that `ckpt` prints, and what they find wrong with a value.

use serde_json::Value;

use crate::support::environment::Environment;

pub(crate) fn schema(kind: &str) -> Value {
    let run = Environment::without_git().ckpt(&["schema", kind]).exits(0);
    run.json()
}

pub(crate) fn problems(schema: &Value, instance: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(schema).unwrap();
    let errors = validator.iter_errors(instance);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
