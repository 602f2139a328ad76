//! Generates the schemas, and tests that the checked-in copies are up to date.

use std::path::Path;

use ckpt::schema::{
    HandoffRequest, HandoffResponse, HistoryLine, PipelineCheckpoint, PlanState, Recovery,
    UnifiedCheckpoint,
};
use clap::ValueEnum;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Format, Kind, markdown, typescript};
use crate::commands::schema as schema_command;
use crate::commands::{
    archive, config, demo, diff, doctor, followers, fork, gate, gc, handoff, init, list, log,
    notify, pipeline, plan, recover, rename, resume, running, ship, show, start, status, tokens,
    undo, validate,
};
use crate::message::Webhook;
use crate::{failure, session, ui};

fn of_file<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

fn of_output<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// One schema with the output of each command under the command's name.
fn outputs() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut properties = Map::new();
    let mut add = |commands: &[&str], schema: fn(&mut SchemaGenerator) -> Value| {
        let schema = schema(&mut generator);
        for command in commands {
            properties.insert((*command).to_owned(), schema.clone());
        }
    };
    add(
        &[
            "phase",
            "complete",
            "abandon",
            "save",
            "gate set",
            "gate override",
            "recover",
            "restore",
            "undo",
        ],
        one::<session::ChangeReport<'_>>,
    );
    add(&["undo --session"], one::<undo::session::Report>);
    add(
        &[
            "pipeline start",
            "pipeline done",
            "pipeline fail",
            "pipeline fixed",
            "pipeline defer",
            "pipeline approve",
            "pipeline review",
            "pipeline note",
            "pipeline sync",
            "pipeline complete",
            "pipeline reopen",
            "pipeline abort",
            "pipeline gate pass",
            "pipeline gate fail",
        ],
        one::<session::ChangeReport<'_>>,
    );
    add(&["init"], one::<init::Report>);
    add(&["doctor"], one::<doctor::Report>);
    add(&["start"], one::<start::Report<'_>>);
    add(&["list"], one::<list::Report<'_>>);
    add(&["show", "pipeline show"], one::<show::Report<'_>>);
    add(&["status"], one::<status::Report<'_>>);
    add(&["resume"], one::<resume::Report<'_>>);
    add(&["ack"], one::<ckpt::workspace::Acknowledged>);
    add(&["log"], one::<log::Report<'_>>);
    add(&["diff"], one::<diff::Report<'_>>);
    add(&["recover (missing)"], one::<recover::Report>);
    add(&["archive", "delete"], one::<archive::Report>);
    add(&["archive --dry-run"], one::<archive::Planned>);
    add(&["unarchive"], one::<archive::Returned>);
    add(&["fork"], one::<fork::Report>);
    add(&["rename"], one::<rename::Report>);
    add(&["gc"], one::<gc::Report>);
    add(
        &["followers", "followers add", "followers remove"],
        one::<followers::Report>,
    );
    add(&["followers run"], one::<followers::RunReport<'_>>);
    add(
        &["notify", "notify allow", "notify revoke"],
        one::<notify::Report>,
    );
    add(&["notify test"], one::<notify::Tested>);
    add(&["notify retry"], one::<notify::retry::Report>);
    add(&["notify log"], one::<notify::log::Report>);
    add(
        &["validate", "plan validate", "pipeline validate"],
        one::<validate::Report<'_>>,
    );
    add(&["tokens"], one::<tokens::Report<'_>>);
    add(&["tokens --fit"], one::<tokens::FitReport<'_>>);
    add(&["gate check", "gate show"], one::<gate::Report<'_>>);
    add(&["ship check"], one::<ship::check::Report<'_>>);
    add(&["ship text"], one::<ship::text::Report<'_>>);
    add(&["ship preview"], one::<ship::preview::Report<'_>>);
    add(&["gate pre-push"], one::<gate::push::Report>);
    add(
        &["gate run", "pipeline gate run"],
        one::<running::Report<'_>>,
    );
    add(
        &["pipeline gate check"],
        one::<pipeline::gate::CheckReport<'_>>,
    );
    add(&["pipeline init"], one::<pipeline::InitReport<'_>>);
    add(&["pipeline next"], one::<pipeline::next::Report<'_>>);
    add(&["pipeline resume"], one::<pipeline::resume::Report<'_>>);
    add(&["pipeline graph"], one::<pipeline::graph::Report<'_>>);
    add(
        &[
            "complete (plan)",
            "abandon (plan)",
            "restore (plan)",
            "undo (plan)",
            "recover (plan)",
            "plan new",
            "plan mark",
            "plan add",
            "plan edit",
            "plan done",
            "plan undo",
            "plan accept",
            "plan unaccept",
            "plan decide",
            "plan block",
            "plan unblock",
            "plan note",
            "plan claim",
            "plan release",
            "plan sync",
            "plan recover",
        ],
        one::<plan::report::Report<'_>>,
    );
    add(&["plan merge"], one::<plan::merge::Report<'_>>);
    add(&["plan show"], one::<plan::tree::Report<'_>>);
    add(&["plan list"], one::<plan::list::Report<'_>>);
    add(&["plan next"], one::<plan::next::Report<'_>>);
    add(&["plan use"], one::<plan::Chosen<'_>>);
    add(&["plan mark --dry-run"], one::<plan::diff::Report<'_>>);
    add(
        &["config", "config list", "config get"],
        one::<config::Report>,
    );
    add(&["config set"], one::<config::Written<'_>>);
    add(&["demo"], one::<demo::Made<'_>>);
    add(&["handoff check"], one::<handoff::check::Report>);
    add(&["handoff fix"], one::<handoff::FixReport<'_>>);
    add(&["handoff reply"], one::<handoff::reply::Report<'_>>);
    add(&["handoff new"], one::<handoff::new::Made<'_>>);
    add(&["handoff doc"], one::<handoff::doc::Printed>);
    add(&["schema"], one::<schema_command::Printed<'_>>);
    add(&["handoff doc --write"], one::<handoff::doc::Report<'_>>);
    add(&["error"], one::<failure::Report<'_>>);
    add(&["recovered"], one::<Vec<ui::Recovered>>);
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Output",
        "description": "The --json output of each command, under its name. Each object also has \"format\": 1 and, if a change brought back first what was missing or damaged, \"recovered\". If a command fails, it prints \"error\".",
        "type": "object",
        "required": required,
        "properties": properties,
        "$defs": generator.take_definitions(true),
    })
}

fn one<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// Members that may be missing but not null, because the rules check their type.
const NOT_NULL: [(&str, &[&str]); 2] = [
    (
        "PlanState",
        &["progress", "phases", "blockers", "decisions", "agents"],
    ),
    ("PlanTask", &["done"]),
];

fn without_null(schema: &mut Value) {
    for (name, members) in NOT_NULL {
        let is_root = schema["title"] == name;
        let holder = match is_root {
            true => schema.get_mut("properties"),
            false => schema.pointer_mut(&format!("/$defs/{name}/properties")),
        };
        let Some(holder) = holder else { continue };
        for member in members {
            let property = &mut holder[*member];
            if let Some(Value::Array(kinds)) = property.get_mut("type") {
                kinds.retain(|kind| kind != "null");
            }
            if let Some(Value::Array(alternatives)) = property.get_mut("anyOf") {
                alternatives.retain(|alternative| alternative["type"] != "null");
            }
        }
    }
}

fn schema(kind: Kind) -> Value {
    let mut schema = raw_schema(kind);
    without_null(&mut schema);
    schema
}

fn raw_schema(kind: Kind) -> Value {
    match kind {
        Kind::Command => of_file::<UnifiedCheckpoint>(),
        Kind::Pipeline => of_file::<PipelineCheckpoint>(),
        Kind::PlanState => of_file::<PlanState>(),
        Kind::History => of_file::<HistoryLine>(),
        Kind::Recovery => of_file::<Recovery>(),
        Kind::HandoffRequest => of_file::<HandoffRequest>(),
        Kind::HandoffResponse => of_file::<HandoffResponse>(),
        Kind::Webhook => of_output::<Webhook<'_>>(),
        Kind::Output => outputs(),
    }
}

#[test]
fn the_schemas_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    let is_updating = std::env::var_os("UPDATE_SCHEMA").is_some();
    for kind in Kind::value_variants() {
        let name = kind.to_possible_value().unwrap().get_name().to_owned();
        let schema = schema(*kind);
        let declarations = typescript::declarations(&schema);
        for (format, ending, made) in [
            (
                Format::JsonSchema,
                "schema.json",
                serde_json::to_string_pretty(&schema).unwrap() + "\n",
            ),
            (Format::Typescript, "d.ts", declarations.clone()),
            (
                Format::Markdown,
                "md",
                markdown::document(*kind, &schema, &declarations),
            ),
        ] {
            if is_updating {
                std::fs::write(folder.join(format!("{name}.{ending}")), &made).unwrap();
                continue;
            }
            assert!(
                kind.text(format) == made,
                "schema/{name}.{ending} is out of date: UPDATE_SCHEMA=1 cargo nextest run -p ckpt-cli schemas"
            );
        }
    }
}

#[test]
fn the_example_of_the_document_has_no_findings() {
    let document = ckpt::document::Document::parse(markdown::EXAMPLE).unwrap();
    assert_eq!(
        ckpt::command::judge(&document, ckpt::tokens::Limit::default()),
        []
    );
}
