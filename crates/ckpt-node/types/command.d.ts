/** Where a command stands, phase by phase. */
export interface UnifiedCheckpoint {
  /** What is run. */
  command?: CommandName | null;
  /** What it works on. */
  feature?: string | null;
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
  /** When it was given up. */
  abandoned_at?: string | null;
  /** Why it was given up. */
  abandon_reason?: string | null;
  /** Where it stands. */
  state: CommandState;
  /** What is known of each phase, by name. */
  phases: { [name: string]: CommandPhase };
  /** Whether it may ship. */
  gate?: Gate | null;
  /** What came of the gates that were run, by name. */
  receipts?: { [name: string]: Receipt } | null;
}

/** The seven commands, or any other. */
export type CommandName = KnownCommand | string;

/** The seven commands. */
export type KnownCommand = "start" | "design" | "reconcile" | "research" | "implement" | "ship" | "review";

/** Where a command stands. */
export interface CommandState {
  /** The phase being worked on. */
  current_phase?: string | null;
  /** In the order of completion. */
  completed_phases?: string[];
  /** Not yet started. */
  pending_phases?: string[];
  /** A task id such as `T002`. */
  current_task?: string | null;
  /** At most 500 tokens. */
  context_summary?: string | null;
}

/** What is known of a phase. */
export interface CommandPhase {
  /** How far it is. */
  status: PhaseStatus;
  /** When it was started. */
  started_at?: string | null;
  /** When it was last changed. */
  updated_at?: string | null;
  /** What the next phase must know, in at most 500 tokens. */
  context_summary?: string | null;
  /** Files that it created. */
  files_created?: string[];
  /** Files that it modified. */
  files_modified?: string[];
  /** What went wrong. */
  error?: string | null;
  /** What sub-agents answered, by task. */
  handoffs?: { [name: string]: RecordedHandoff } | null;
}

/** What a phase is doing. */
export type PhaseStatus = "pending" | "in_progress" | "complete" | "failed" | "skipped";

/** What a sub-agent answered. */
export interface RecordedHandoff {
  /** The kind of step. */
  phase: string;
  /** How far it came. */
  status: Status;
  /** What is to be done now. */
  decision: Decision;
  /** What it said. */
  context_summary: string;
  /** What went wrong. */
  issues: string[];
  /** What it cost. */
  tokens_used?: number | null;
  /** When it was recorded. */
  at: string;
  /** By whom. */
  by: string;
}

/** How far it came. */
export type Status = "complete" | "partial" | "blocked";

/** What is to be done now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

/** Whether it may ship. Used by `ship`. */
export interface Gate {
  /** Exactly `true` where it may. */
  ship_allowed: boolean;
  /** What stands in the way. */
  blockers: string[];
  /** The commit that was approved. */
  head_commit?: string | null;
  /** The digest of the content that was approved. */
  content?: string | null;
  /** When it was set. */
  set_at?: string | null;
  /** Somebody's decision to let it pass nevertheless. */
  override?: GateOverride | null;
}

/** Somebody's decision to let a gate pass. */
export interface GateOverride {
  /** Why. */
  reason: string;
  /** Who. */
  by: string;
  /** When. */
  at?: string | null;
  /** HEAD then. */
  head_commit?: string | null;
  /** The digest of the content then. */
  content?: string | null;
}

/** How a gate came to pass or fail. */
export interface Receipt {
  /** A run, or somebody's word. */
  kind: ReceiptKind;
  /** What came of it. */
  result: ReceiptResult;
  /** What was run. */
  command?: string | null;
  /** When it was run. */
  started_at?: string | null;
  /** When it was said. */
  at?: string | null;
  /** How long it took. */
  duration_ms?: number | null;
  /** With which code it ended. */
  exit_code?: number | null;
  /** How it ended, in words. */
  ending?: string | null;
  /** HEAD then. */
  head_commit?: string | null;
  /** The digest of the content that it was run on. */
  content?: string | null;
  /** The digest of the content that it left, where that is another. */
  content_after?: string | null;
  /** What git's index looked like. */
  index?: string | null;
  /** How much it printed. */
  output_bytes?: number | null;
  /** The digest of what it printed. */
  output_digest?: string | null;
  /** The end of what it printed. */
  output_tail?: string | null;
  /** Who ran or said it. */
  by: string;
  /** The process that runs it. */
  runner?: unknown;
}

/** A run, or somebody's word. */
export type ReceiptKind = "run" | "claim";

/** What came of a gate. */
export type ReceiptResult = "running" | "passed" | "failed" | "interrupted";
