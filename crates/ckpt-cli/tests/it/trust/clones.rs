//! A clone is never believed: whatever is in it, opening it with an agent or typing any command runs none of its
//! programs, writes nothing outside state, shows nothing private, and accepts none of its claims.
//!
//! Every test builds one hostile clone with a script of `tests/clones`; `support::hostile_clone` uses and judges it.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::agent::Held;
use crate::support::environment::Environment;
use crate::support::hostile_clone::{binary, faults_of};
use crate::support::tree;

macro_rules! clones {
    ($($sentence:ident: $script:literal,)*) => {
        const SCRIPTS: &[&str] = &[$($script),*];
        $(
            #[test]
            fn $sentence() {
                let faults = faults_of($script);
                assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
            }
        )*
    };
}

clones! {
    a_clone_that_means_well_is_used: "000-means-well",
    a_phase_file_that_links_to_gits_settings_is_not_written: "001-phase-file-links-to-git-config",
    a_phase_file_that_links_into_git_makes_no_file_there: "002-phase-file-links-to-nothing-in-git",
    a_phase_file_that_links_to_gits_settings_is_not_copied: "003-phase-file-copies-git-config",
    a_plan_that_links_outside_is_not_read: "004-plan-links-outside",
    a_plan_that_links_to_git_through_others_is_not_read: "005-plan-links-through-a-chain",
    documents_that_link_outside_are_not_read: "006-documents-link-outside",
    a_history_that_links_to_a_hook_of_git_is_not_written: "007-history-links-to-a-git-hook",
    a_plan_state_that_links_into_git_is_not_written: "008-plan-state-links-into-git",
    a_plan_directory_that_links_outside_is_not_entered: "009-plan-directory-links-outside",
    plans_that_link_outside_are_not_entered: "010-plans-link-outside",
    a_claude_directory_that_links_outside_is_not_entered: "011-claude-links-outside",
    a_state_directory_that_links_into_git_is_not_entered: "012-state-links-into-git",
    a_state_directory_that_links_to_sources_is_not_entered: "013-state-links-into-the-sources",
    parts_of_state_that_link_into_git_are_not_entered: "014-parts-of-state-link-into-git",
    locks_that_link_to_gits_settings_are_not_written: "015-locks-link-to-git-config",
    a_lock_directory_that_links_outside_is_not_entered: "016-lock-directory-links-outside",
    a_hook_log_that_links_outside_is_not_written: "017-hook-log-links-outside",
    a_gitignore_that_links_into_git_is_not_written: "018-gitignore-links-into-git",
    agent_settings_that_link_outside_are_not_touched: "019-settings-link-outside",
    files_of_init_that_are_links_are_not_written: "020-files-of-init-link-into-git",
    project_settings_that_link_outside_are_not_shown: "021-project-settings-link-outside",
    settings_without_an_end_are_not_read: "022-project-settings-are-endless",
    documents_without_an_end_are_not_read: "023-documents-are-endless",
    documents_that_link_to_the_environment_are_not_shown: "024-documents-are-the-environment",
    a_plan_directory_that_links_to_the_root_is_not_entered: "025-plan-directory-is-the-root",
    links_in_place_of_temporary_files_are_not_followed: "026-temporary-files-link-outside",
    a_chosen_plan_outside_is_not_entered: "027-active-plan-is-elsewhere",
    a_history_of_a_clone_finishes_no_change: "028-history-finishes-a-change-of-a-plan",
    a_history_of_a_clone_makes_no_change_again: "029-history-rewrites-a-plan",
    a_history_of_a_clone_proves_no_half_change: "030-history-rewrites-a-plan-by-a-file-that-is-gone",
    a_history_of_a_clone_rewrites_no_checkpoint: "031-history-rewrites-a-checkpoint",
    huge_revisions_do_no_harm: "032-history-with-huge-numbers",
    names_in_a_history_lead_nowhere: "033-history-names-files-elsewhere",
    a_history_of_zeros_is_not_waited_for: "034-history-is-a-line-of-zeros",
    a_history_with_a_long_line_is_not_waited_for: "035-history-is-a-long-line",
    a_forged_copy_of_a_state_shows_nothing_private: "036-recovery-is-forged",
    a_forged_receipt_of_init_touches_no_file_of_the_user: "037-receipt-names-files-of-the-user",
    a_forged_receipt_of_init_leads_nowhere_by_dots: "038-receipt-leads-out-by-dots",
    a_forged_receipt_of_init_puts_no_program_into_git: "039-receipt-names-git-config",
    a_forged_receipt_of_init_deletes_no_sources: "040-receipt-names-a-source-file",
    a_monitor_of_an_embedded_repository_is_not_run: "041-bare-repository-with-a-monitor",
    a_filter_of_an_embedded_repository_is_not_run: "042-bare-repository-with-a-filter",
    a_work_tree_of_an_embedded_repository_is_not_taken: "043-bare-repository-with-a-work-tree-elsewhere",
    a_gitfile_in_a_clone_leads_to_no_program: "044-gitfile-leads-into-the-clone",
    programs_in_gits_settings_are_not_run: "045-archive-with-git-settings",
    a_pipe_called_git_is_not_waited_for: "046-git-is-a-pipe",
    pipes_in_git_are_not_waited_for: "047-git-has-pipes",
    pipes_in_place_of_settings_are_not_waited_for: "048-settings-are-pipes",
    pipes_in_state_are_not_waited_for: "049-state-has-pipes",
    pipes_in_plans_are_not_waited_for: "050-plans-have-pipes",
    devices_in_place_of_files_are_left_alone: "051-files-are-devices",
    a_repository_of_another_user_is_refused: "052-all-belongs-to-another",
    a_git_directory_of_another_user_is_refused: "053-git-belongs-to-another",
    a_claude_directory_of_another_user_is_refused: "054-claude-belongs-to-another",
    plans_of_another_user_are_refused: "055-plans-belongs-to-another",
    project_settings_loosen_nothing: "056-project-settings-loosen",
    project_settings_of_the_wrong_type_loosen_nothing: "057-project-settings-of-the-wrong-type",
    project_settings_with_huge_numbers_loosen_nothing: "058-project-settings-with-huge-numbers",
    hooks_without_time_leave_one_process: "059-project-settings-without-time",
    huge_project_settings_are_not_read: "060-project-settings-of-100-megabytes",
    a_variable_lets_no_link_be_followed: "061-variable-follows-links",
    a_variable_names_no_settings_of_the_clone: "062-variable-names-settings",
    variables_loosen_nothing: "063-variables-loosen",
    a_variable_names_no_plan_outside: "064-variable-names-a-plan-elsewhere",
    yaml_aliases_are_counted_by_size: "065-yaml-aliases-by-size",
    yaml_aliases_are_counted_by_number: "066-yaml-aliases-by-count",
    a_specification_outside_is_not_read: "067-specification-leads-elsewhere",
    deep_documents_do_no_harm: "068-deep-documents",
    five_thousand_plans_do_no_harm: "069-five-thousand-plans",
    ten_thousand_checkpoints_do_no_harm: "070-ten-thousand-checkpoints",
    eighty_thousand_decisions_do_no_harm: "071-eighty-thousand-decisions",
    a_summary_that_is_slow_to_count_does_no_harm: "072-summary-is-slow-to-count",
    names_of_plans_do_not_speak: "073-names-of-plans",
    the_name_of_a_chosen_plan_is_quoted: "074-name-of-the-chosen-plan",
    a_plan_does_not_speak: "075-names-in-a-plan",
    a_checkpoint_does_not_speak: "076-names-in-a-checkpoint",
    a_gate_does_not_speak: "077-names-in-a-gate",
    records_of_sessions_do_not_speak: "078-names-in-sessions",
    a_pipeline_does_not_speak: "079-names-in-a-pipeline",
    the_name_of_a_branch_does_not_speak: "080-name-of-the-branch",
    names_of_files_do_not_speak: "081-names-of-changed-files",
    a_history_does_not_speak: "082-names-in-a-history",
    handoffs_do_not_speak: "083-names-in-handoffs",
    a_plan_state_does_not_speak: "084-names-in-a-plan-state",
    settings_do_not_speak: "085-names-in-settings",
    an_approval_in_a_clone_is_not_believed: "086-approval-is-committed",
    an_approval_without_a_seal_is_not_believed: "087-approval-without-a-seal",
    an_override_in_a_clone_is_not_believed: "088-override-is-committed",
    a_key_in_a_clone_is_not_taken: "089-key-comes-with-the-clone",
    a_receipt_in_a_clone_proves_nothing: "090-receipt-of-a-gate-is-committed",
    a_receipt_written_by_hand_proves_nothing: "091-receipt-of-a-gate-is-written-by-hand",
    code_among_the_plans_voids_an_approval: "092-code-among-the-plans",
    unwatched_content_voids_an_approval: "093-content-is-assume-unchanged",
    hidden_content_voids_an_approval: "094-content-is-skip-worktree",
    forged_sessions_are_not_told_of: "095-sessions-are-forged",
    a_planted_transcript_is_not_read: "096-transcript-is-planted",
    a_transcript_without_an_end_is_not_waited_for: "097-transcript-is-endless",
    a_history_in_a_clone_lets_nothing_private_be_committed: "098-history-hides-what-git-ignores",
    what_an_agent_said_is_for_nobody_else_to_read: "099-what-the-agent-said-becomes-readable",
    a_gitignore_in_a_clone_lets_nothing_private_be_committed: "100-state-is-not-ignored",
    programs_in_the_place_of_ckpt_are_not_run: "101-hooks-call-a-program-called-ckpt",
    lines_of_shell_in_hooks_are_not_run: "102-hooks-call-a-shell",
    hooks_that_a_forged_receipt_names_are_not_run: "103-receipt-says-that-hooks-are-ours",
    programs_that_other_tools_run_are_not_run: "104-programs-of-other-tools",
    commands_of_gates_are_not_run_unasked: "105-gate-commands-of-a-specification",
    a_monitor_of_a_submodule_is_not_run: "106-submodule-with-settings",
    progress_of_an_earlier_tool_ticks_nothing_unasked: "107-earlier-progress-ticks-tasks",
    reordered_histories_rewrite_nothing: "108-histories-are-reordered",
    planted_work_of_late_processes_is_not_done: "109-work-of-late-processes",
    a_variable_does_not_move_the_root_outside: "110-variable-names-the-root",
    names_with_directories_lead_nowhere: "111-names-with-directories",
    a_state_directory_that_links_outside_is_not_entered: "112-state-links-outside",
    hooks_of_an_old_version_do_no_harm_to_other_clients: "113-hooks-of-an-old-version",
    a_directory_above_of_another_user_is_refused: "114-the-directory-above-belongs-to-another",
    pipes_that_git_reads_are_not_waited_for: "115-git-is-read-by-bad-files",
    an_approval_that_a_pull_brings_is_not_believed: "116-approval-comes-with-a-pull",
    a_forged_receipt_of_init_leads_nowhere_by_the_kernel: "117-receipt-leads-out-by-the-kernel",
    protocols_that_link_into_git_are_not_written: "118-protocols-link-into-git",
    a_hook_log_that_links_to_gits_settings_is_not_written: "119-hook-log-links-to-git-config",
    session_records_that_are_links_are_not_written: "120-session-records-link-to-git-config",
    a_copy_of_a_state_that_links_to_git_is_not_written: "121-recovery-links-to-git-config",
    ten_thousand_phase_files_do_no_harm: "122-ten-thousand-phase-files",
    a_push_is_recognised_however_it_is_written: "123-ways-to-push",
    links_in_a_circle_do_no_harm: "124-state-links-to-a-plan-state",
    code_below_the_name_of_a_phase_counts: "125-code-below-the-name-of-a-phase",
    a_submodule_with_the_name_of_a_phase_counts: "126-submodule-with-the-name-of-a-phase",
    a_phase_that_becomes_a_program_counts: "127-phase-becomes-a-program",
    a_link_among_the_state_counts: "128-state-has-a-link",
    filters_of_an_archive_are_not_run: "129-archive-with-filters",
    filters_of_a_repository_in_the_clone_are_not_run: "130-submodule-with-filters",
    a_git_file_does_not_lead_to_another_repository: "131-git-file-leads-to-another-repository",
    nothing_is_shared_with_another_repository: "132-git-directory-shares-that-of-another-repository",
    a_git_file_does_not_lead_to_the_worktree_of_another: "133-git-file-leads-to-the-worktree-of-another-repository",
    settings_of_git_do_not_move_the_work_tree: "134-archive-with-a-work-tree-elsewhere",
    a_git_directory_of_the_clone_is_none: "135-variable-names-a-git-directory",
    a_git_directory_of_the_clone_leads_nowhere: "136-variable-names-a-work-tree-elsewhere",
    settings_of_git_in_the_clone_are_not_the_users: "137-variable-names-settings-of-git",
    variables_name_no_filter: "138-variables-name-a-filter",
    a_receipt_of_the_clone_is_not_the_users: "139-variable-names-the-receipt",
    a_receipt_of_the_clone_is_not_the_users_by_another_path: "140-variable-leads-to-the-receipt-by-the-kernel",
    pipes_in_the_place_of_late_work_hold_nobody: "141-late-work-has-pipes",
    a_variable_does_not_hide_what_the_user_enforces: "142-variable-hides-the-settings-of-the-user",
    a_pull_does_not_take_a_gate_away: "143-pull-takes-a-gate-away",
    a_pull_does_not_complete_what_has_a_gate: "144-pull-completes-what-has-a-gate",
    a_pull_does_not_remove_what_has_a_gate: "145-pull-removes-what-has-a-gate",
    a_pull_does_not_take_the_gate_of_another_command: "146-pull-takes-the-gate-of-another-command",
    an_index_with_a_tail_hides_nothing: "147-index-with-a-tail",
    settings_of_git_are_read_as_git_does: "148-settings-of-git-read-otherwise",
    a_work_tree_elsewhere_is_seen: "149-work-tree-elsewhere-behind-a-mark",
    a_receipt_of_an_archive_undoes_nothing_of_the_user: "150-receipt-comes-with-an-archive",
    links_in_a_git_directory_are_not_followed: "151-git-directory-of-a-submodule-has-links",
    a_work_tree_of_another_repository_is_not_shown: "152-worktree-of-another-repository",
    a_commit_with_millions_of_files_takes_no_memory: "153-commit-with-millions-of-files",
    a_variable_does_not_hide_a_filter: "154-variable-hides-a-filter",
    a_variable_does_not_lead_beside_a_submodule: "155-variable-leads-beside-a-submodule",
    a_variable_does_not_lead_in_by_another_path: "156-variable-leads-in-by-the-kernel",
    rules_of_the_clone_do_not_publish_state: "157-rules-of-the-clone-except-state",
    no_word_of_a_receipt_is_believed_where_hooks_are_said_to_lie: "158-receipt-and-hooks-of-an-archive",
    a_work_tree_above_is_none_of_an_archive: "159-archive-with-a-work-tree-above",
    what_is_ours_in_another_repository_stays: "160-vault-links-to-that-of-another-repository",
    notes_beside_the_key_are_no_links: "161-notes-of-gates-link-outside",
    plans_without_markdown_on_many_branches_do_no_harm: "162-plans-without-markdown-on-many-branches",
    settings_of_integrations_send_nothing: "163-integrations-ask-for-secrets",
}

#[test]
fn every_script_is_run_and_there_are_enough() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clones"));
    let files = std::fs::read_dir(directory).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: BTreeSet<String> = names.collect();
    let run: BTreeSet<String> = SCRIPTS.iter().map(|name| format!("{name}.sh")).collect();
    assert_eq!(found, run);
    assert!(run.len() > 45);
}

#[test]
fn state_that_becomes_a_link_while_a_writer_waits_is_not_followed() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let state = environment.path(".claude/state");
    let elsewhere = environment.base().join("elsewhere");
    let copy = Command::new("cp")
        .arg("-a")
        .args([&state, &elsewhere])
        .status();
    assert!(copy.unwrap().success());
    let before = tree::listing(&elsewhere);
    let held = Held::lock(&environment, ".claude/state/locks/command.lock");
    let mut command = environment.command(binary().to_str().unwrap());
    command
        .args(["phase", "implement/auth", "build", "complete"])
        .stderr(Stdio::null());
    let mut writer = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::rename(&state, environment.base().join("aside")).unwrap();
    symlink(&elsewhere, &state).unwrap();
    drop(held);
    writer.wait().unwrap();
    tree::assert_unchanged(&elsewhere, &before, "the writer followed the link");
}
