//! Plans in Markdown, and the files beside them.

mod branches;
mod choice;
mod claims;
mod claims_back;
mod copies;
mod editors;
mod examples;
mod files;
mod kill;
mod kill_recovery;
mod linear_time;
mod lines;
mod lost_phases;
mod lost_text;
mod mark;
mod merge;
mod older_tool;
mod operations;
mod recovery;
mod show;
mod state;
mod terminal;
mod warnings;
mod worktrees;
mod writers;
