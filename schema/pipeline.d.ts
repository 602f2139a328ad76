/** The progress of a build pipeline. Some members have other names in older files (`prd_id`, `id`, `updated_at`); those are read too. */
export interface PipelineCheckpoint {
  /** Its id, such as `PRD-003`. */
  prd?: string | null;
  /** Its title. */
  prd_title?: string | null;
  /** The number of the last completed phase. */
  current_phase?: unknown;
  /** Its status. */
  status: PipelineStatus;
  /** Completed workstreams. */
  completed_workstreams?: Bucket | null;
  /** Running workstreams. */
  in_progress_workstreams?: Bucket | null;
  /** Workstreams not started yet. */
  pending_workstreams?: Bucket | null;
  /** Deferred workstreams. */
  dormant_workstreams?: Bucket | null;
  /** The files that each workstream produced. */
  artifacts?: unknown;
  /** Gates that passed, as `name (WS1)` or `name`. */
  gates_passed?: Bucket | null;
  /** Gates that have not passed yet. */
  gates_pending?: Bucket | null;
  /** What went wrong; only while the status is failed. */
  error?: PipelineFailure | null;
  /** When it was last changed. */
  timestamp?: string | null;
  /** The specification it follows. */
  execution_spec?: ExecutionSpec | null;
  /** The receipts of gates that were run or claimed, by `name (WS1)` or `name`. */
  receipts?: { [name: string]: Receipt } | null;
  /** The responses of sub-agents, by workstream. */
  handoffs?: { [name: string]: RecordedHandoff } | null;
  /** The result of the adversarial review. */
  adversarial_review?: AdversarialReview | null;
  /** Fixes for linter findings, as `{file, change}`. */
  eslint_fixes?: unknown;
  /** Important fixes, as `{file, change}`. */
  key_fixes?: unknown;
  /** What was cleaned up. */
  cleanup_done?: unknown;
}

/** The status of a pipeline. */
export type PipelineStatus = "initialized" | "in_progress" | "paused" | "failed" | "complete" | "executing" | "in-progress" | "approved" | "awaiting_approval" | "ready_for_approval" | "completed" | "COMPLETE" | "COMPLETED";

/** A list, or a map from names as written by other tools. */
export type Bucket = ListEntry[] | { [name: string]: unknown };

/** A name, or an object that contains one. */
export type ListEntry = string | NamedEntry;

/** A list entry with more than its name. */
export interface NamedEntry {
  /** The name. */
  id?: string | null;
  /** Why it is deferred. */
  reason?: string | null;
}

/** What went wrong in a pipeline. */
export type PipelineFailure = string | PipelineError;

/** The details of what went wrong in a pipeline. */
export interface PipelineError {
  /** The workstream. */
  workstream?: string | null;
  /** The message. */
  message: string;
  /** The file. */
  file?: string | null;
  /** The line in the file. */
  line?: number | null;
}

/** The specification that a pipeline follows. */
export type ExecutionSpec = string | KnownSpec;

/** What is recorded about a specification. */
export interface KnownSpec {
  /** Its path, relative to the root. */
  path?: string | null;
  /** Its hash when it was last accepted. */
  hash?: string | null;
  /** The workstreams that were running when something went wrong. */
  interrupted?: string[] | null;
}

/** How a gate passed or failed. */
export interface Receipt {
  /** A run or a claim. */
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
  /** Who ran or claimed it. */
  by: string;
  /** The process that runs it. */
  runner?: unknown;
}

/** A run or a claim. */
export type ReceiptKind = "run" | "claim";

/** The result of a gate. */
export type ReceiptResult = "running" | "passed" | "failed" | "interrupted";

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
}

/** How far the task got. */
export type Status = "complete" | "partial" | "blocked";

/** What to do now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

/** The result of an adversarial review. */
export interface AdversarialReview {
  /** The verdict. */
  verdict: ReviewVerdict;
  /** The number of P0 findings. */
  p0_count: number;
  /** The number of P1 findings. */
  p1_count: number;
  /** The number of the review: 1 or 2. */
  attempt: number;
  /** The path of the findings. */
  findings_path?: string | null;
  /** Why it is overridden. */
  override_reason?: string | null;
}

/** The verdict of a review. */
export type ReviewVerdict = "ship" | "ship_with_gates" | "do_not_ship" | "overridden";
