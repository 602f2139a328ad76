//! `ckpt pipeline graph`

use std::collections::HashMap;

use ckpt::pipeline::Readiness;
use ckpt::workspace::PipelineView;
use clap::Args;

use super::which;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Print the workstream graph, for Graphviz or Mermaid.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// The pipeline's id; omit if only one is in flight
    #[arg(add = Ids::Pipelines)]
    id: Option<String>,
    /// Print Graphviz DOT (the default)
    #[arg(long)]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PipelineGraph"))]
pub(crate) struct Report<'g> {
    pipeline: &'g str,
    graph: &'g str,
}

impl Graph {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let view = session
            .workspace
            .pipeline(&which(session, self.id.as_deref())?)
            .view()?;
        let graph = match self.mermaid {
            true => mermaid(&view),
            false => dot(&view),
        };
        match session.json {
            true => ui.json(&Report {
                pipeline: view.id.as_str(),
                graph: &graph,
            })?,
            false => ui.raw(graph.as_bytes())?,
        }
        Ok(Exit::Done)
    }
}

/// Each workstream with its dependencies.
fn edges(view: &PipelineView) -> Vec<(String, Vec<String>)> {
    let spec = view.spec.spec();
    let dependencies = |name: &str| {
        let workstream = spec.and_then(|spec| spec.workstream(name));
        let names = workstream.into_iter().flat_map(|known| &known.depends_on);
        names.map(|reference| reference.name.clone()).collect()
    };
    let schedule = view.schedule().into_iter();
    schedule
        .map(|(name, _)| {
            let dependencies = dependencies(&name);
            (name, dependencies)
        })
        .collect()
}

fn label(view: &PipelineView, name: &str) -> String {
    let workstream = view.spec.spec().and_then(|spec| spec.workstream(name));
    match workstream.and_then(|known| known.name.as_deref()) {
        Some(title) => one_line(&format!("{name}: {title}")),
        None => one_line(name),
    }
}

fn colour(readiness: &Readiness) -> &'static str {
    match readiness {
        Readiness::Done => "palegreen",
        Readiness::Running => "lightskyblue",
        Readiness::Ready => "khaki",
        Readiness::Dormant => "lightgrey",
        Readiness::WaitsFor(_) => "white",
    }
}

fn quoted(text: &str) -> String {
    let text = one_line(text);
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn dot(view: &PipelineView) -> String {
    let mut text = format!("digraph {} {{\n  rankdir=LR;\n", quoted(view.id.as_str()));
    for (name, readiness) in view.schedule() {
        text += &format!(
            "  {} [label={}, style=filled, fillcolor={}];\n",
            quoted(&name),
            quoted(&label(view, &name)),
            colour(&readiness)
        );
    }
    for (name, dependencies) in edges(view) {
        for dependency in dependencies {
            text += &format!("  {} -> {};\n", quoted(&dependency), quoted(&name));
        }
    }
    text + "}\n"
}

fn mermaid(view: &PipelineView) -> String {
    let schedule = view.schedule();
    let names = schedule.iter().map(|(name, _)| name.as_str());
    let places: HashMap<&str, usize> = names.rev().zip((0..schedule.len()).rev()).collect();
    // Mermaid ids are words, but names can be anything.
    let id = |name: &str| places.get(name).map(|place| format!("n{place}"));
    let mut text = "graph LR\n".to_owned();
    for (name, readiness) in &schedule {
        let id = id(name).unwrap_or_default();
        let label = label(view, name).replace('"', "#quot;");
        text += &format!(
            "  {id}[\"{label}\"]\n  style {id} fill:{}\n",
            colour(readiness)
        );
    }
    for (name, dependencies) in edges(view) {
        for dependency in dependencies {
            if let (Some(from), Some(to)) = (id(&dependency), id(&name)) {
                text += &format!("  {from} --> {to}\n");
            }
        }
    }
    text
}
