//! The command line itself: help, exit codes, JSON, settings, and the documents about them.

mod completion;
mod config;
mod documents;
mod exit_codes;
mod help;
mod hints;
mod json;
mod mistakes;
mod newer;
mod output;
mod release;
mod schema;
mod schema_output;
mod schema_rules;
mod statusline;
mod tokens;
