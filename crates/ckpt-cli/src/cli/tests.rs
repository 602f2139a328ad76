use clap::CommandFactory;

#[test]
fn every_command_is_well_formed() {
    super::Cli::command().debug_assert();
}
