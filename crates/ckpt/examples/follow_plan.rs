//! Follows a plan in Markdown: ticks the next open task until none is left.
//!
//! ```text
//! cargo run --example follow_plan -- DIRECTORY PLAN
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::error::Error;
use std::path::Path;

use ckpt::plan::{ItemKind, Tick};
use ckpt::{Environment, Options, PlanId, Workspace};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, plan] = arguments.as_slice() else {
        return Err("usage: follow_plan DIRECTORY PLAN".into());
    };
    let directory = Path::new(directory);
    let workspace = Workspace::open(directory, &Environment::default(), Options::default())?;
    let id = PlanId::new(plan)?;
    let plan = workspace.plan(&id);

    loop {
        // Re-read it each time: someone may have edited the plan in the meantime.
        let view = plan.view()?;
        let open = view.outline.tasks().find(|(_, task)| !task.done);
        let Some((_, task)) = open else { break };
        println!("working on {}: {}", task.id, task.text);
        plan.tick(ItemKind::Task, std::slice::from_ref(&task.id), Tick::Done)?;
    }
    println!("{id} is finished");
    Ok(())
}
