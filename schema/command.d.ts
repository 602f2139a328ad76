/** The progress of a command, phase by phase. */
export interface UnifiedCheckpoint {
  /** The command. */
  command?: CommandName | null;
  /** The feature it works on. */
  feature?: string | null;
  /** The issue that it is about, such as `BAS-6`. */
  issue?: string | null;
  /** The version of the format. */
  version: 1;
  /** HEAD at the last change. */
  head_commit?: string | null;
  /** When it was started. */
  started_at?: string | null;
  /** When it was last changed. */
  updated_at?: string | null;
  /** When it was completed. */
  completed_at?: string | null;
  /** When it was abandoned. */
  abandoned_at?: string | null;
  /** Why it was abandoned. */
  abandon_reason?: string | null;
  /** The current state. */
  state: CommandState;
  /** The record of each phase, by name. */
  phases: { [name: string]: CommandPhase };
  /** Whether it may ship. */
  gate?: Gate | null;
  /** The receipts of gates that were run, by name. */
  receipts?: { [name: string]: Receipt } | null;
  /** Sub-agents, by id. */
  agents?: { [name: string]: SubAgent } | null;
}

/** One of the seven commands, or any other. */
export type CommandName = KnownCommand | string;

/** The seven commands. */
export type KnownCommand = "start" | "design" | "reconcile" | "research" | "implement" | "ship" | "review";

/** The current state of a command. */
export interface CommandState {
  /** The current phase. */
  current_phase?: string | null;
  /** Completed phases, in order of completion. */
  completed_phases?: string[];
  /** Phases not started yet. */
  pending_phases?: string[];
  /** A task id such as `T002`. */
  current_task?: string | null;
  /** A summary of at most 500 tokens, or the setting `summary_limit`. */
  context_summary?: string | null;
}

/** The record of a phase. */
export interface CommandPhase {
  /** Its status. */
  status: PhaseStatus;
  /** When it was started. */
  started_at?: string | null;
  /** When it was last changed. */
  updated_at?: string | null;
  /** What the next phase must know, in at most 500 tokens, or the setting `summary_limit`. */
  context_summary?: string | null;
  /** The files it created. */
  files_created?: string[];
  /** The files it modified. */
  files_modified?: string[];
  /** What went wrong. */
  error?: string | null;
  /** The responses of sub-agents, by task. */
  handoffs?: { [name: string]: RecordedHandoff } | null;
}

/** The status of a phase. */
export type PhaseStatus = "pending" | "in_progress" | "complete" | "failed" | "skipped";

/** The response of a sub-agent. */
export interface RecordedHandoff {
  /** The kind of step. */
  phase: string;
  /** How far the task got. */
  status: Status;
  /** What to do now. */
  decision: Decision;
  /** The summary. */
  context_summary: string;
  /** What went wrong. */
  issues: string[];
  /** How many tokens it used. */
  tokens_used?: number | null;
  /** When it was recorded. */
  at: string;
  /** Who recorded it. */
  by: string;
  /** When somebody answered a response that said not to proceed. */
  answeredAt?: string | null;
  /** The answer. */
  answer?: string | null;
}

/** How far the task got. */
export type Status = "complete" | "partial" | "blocked";

/** What to do now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

/** Whether it may ship. Used by `ship`. */
export interface Gate {
  /** Exactly `true` if it may ship. */
  ship_allowed: boolean;
  /** What blocks it. */
  blockers: string[];
  /** The commit that was approved. */
  head_commit?: string | null;
  /** The digest of the content that was approved. */
  content?: string | null;
  /** The files in it that git did not track. */
  untracked?: string[] | null;
  /** When it was set. */
  set_at?: string | null;
  /** Who approved: `person`, `agent:NAME` or `script`. */
  approved_by?: string | null;
  /** The seal that tells it from one written by hand. */
  seal?: unknown;
  /** An override of the gate. */
  override?: GateOverride | null;
}

/** A decision to override a gate. */
export interface GateOverride {
  /** The reason. */
  reason: string;
  /** Who made it. */
  by: string;
  /** When it was made. */
  at?: string | null;
  /** HEAD at that time. */
  head_commit?: string | null;
  /** The digest of the content at that time. */
  content?: string | null;
  /** Who approved: `person`, `agent:NAME` or `script`. */
  approved_by?: string | null;
  /** The seal that tells it from one written by hand. */
  seal?: unknown;
}

/** How a gate passed or failed. */
export interface Receipt {
  /** What it is the receipt of. */
  kind: ReceiptKind;
  /** The result. */
  result: ReceiptResult;
  /** The command that was run. */
  command?: string | null;
  /** When the run started. */
  started_at?: string | null;
  /** When the claim was made. */
  at?: string | null;
  /** How long the run took, in milliseconds. */
  duration_ms?: number | null;
  /** The exit code. */
  exit_code?: number | null;
  /** How the run ended, in words. */
  ending?: string | null;
  /** HEAD at that time. */
  head_commit?: string | null;
  /** The digest of the content it was run on. */
  content?: string | null;
  /** The digest of the content afterwards, if it differs. */
  content_after?: string | null;
  /** The state of git's index. */
  index?: string | null;
  /** The length of the output, in bytes. */
  output_bytes?: number | null;
  /** The digest of the output. */
  output_digest?: string | null;
  /** The end of the output. */
  output_tail?: string | null;
  /** How the wait for a preview ended: `ready`, `failed`, `rejected`, `canceled`, `superseded`, `not_found` or `timed_out`. */
  state?: string | null;
  /** Who was asked about a preview: `vercel` or `github`. */
  provider?: string | null;
  /** The commit of a preview. */
  commit?: string | null;
  /** Where a preview is. */
  url?: string | null;
  /** The page that tells more about a preview. */
  page?: string | null;
  /** Whether a preview has to succeed. */
  required?: boolean | null;
  /** Who ran or claimed it, or waited for it. */
  by: string;
  /** The process that runs it. */
  runner?: unknown;
  /** Whether the pipeline pauses once nothing is running any more. */
  pause_due?: boolean | null;
  /** The error that the pipeline fails with once nothing is running any more. */
  failure_due?: unknown;
  /** The seal that tells it from one written by hand. */
  seal?: unknown;
}

/** What a receipt is of. */
export type ReceiptKind = "run" | "claim" | "preview";

/** The result of a gate. */
export type ReceiptResult = "running" | "passed" | "failed" | "tolerated" | "interrupted";

/** Someone who works on a checkpoint. */
export interface SubAgent {
  /** The type of a sub-agent, else `team` or `main`. */
  type?: string;
  /** The tasks it was given or has claimed. */
  assignedTasks?: string[];
  /** The tasks it has completed. */
  completedTasks?: string[];
  /** When it was last active. */
  lastActive?: string | null;
  /** The session it works in. */
  session?: string | null;
  /** When a sub-agent started. */
  startedAt?: string | null;
  /** When it ended. Its claims have lapsed since. */
  endedAt?: string | null;
  /** Tasks it claims to have done but that are not ticked in the plan. */
  claimedTasks?: string[] | null;
  /** What it was asked to do. */
  asked?: string | null;
  /** Whether it was at work when its session ended. */
  died?: boolean | null;
  /** The files it wrote, if it died. */
  files?: string[] | null;
  /** What it handed over. */
  handoff?: unknown;
  /** The last thing it said, if it handed nothing over. */
  lastWords?: string | null;
}
