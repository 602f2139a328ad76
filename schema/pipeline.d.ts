/** The progress of a build pipeline. Some members have other names in older files (`prd_id`, `id`, `updated_at`); those are read too. */
export interface PipelineCheckpoint {
  /** Its id, such as `PRD-003`. */
  prd?: string | null;
  /** Its title. */
  prd_title?: string | null;
  /** The number of the last completed phase: 0 before the first. */
  current_phase?: number | null;
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
  /** Deferred workstreams, as other tools call them. */
  deferred_workstreams?: Bucket | null;
  /** Deferred workstreams, as other tools call them. */
  skipped_workstreams?: Bucket | null;
  /** Workstreams that failed, as other tools list them; they have to be done again. */
  failed_workstreams?: Bucket | null;
  /** The files that each workstream produced. */
  artifacts?: unknown;
  /** Gates that passed, as `name (WS1)` or `name`. */
  gates_passed?: Bucket | null;
  /** Gates that have not passed yet, as `name` or `name (WS1)`. The name alone means every workstream that has it. */
  gates_pending?: Bucket | null;
  /** What went wrong; only while the status is failed. */
  error?: PipelineFailure | null;
  /** When it was aborted. */
  aborted_at?: string | null;
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
  /** Fixes for linter findings. */
  eslint_fixes?: Fix[] | null;
  /** Important fixes. */
  key_fixes?: Fix[] | null;
  /** What was cleaned up. */
  cleanup_done?: string[] | null;
  /** Sub-agents, by id. */
  agents?: { [name: string]: SubAgent } | null;
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
  /** The workstream; missing if it concerns the pipeline as a whole. */
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
  /** The seal of whoever accepted it here. */
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
  /** Why it is overridden; required if it is. */
  override_reason?: string | null;
}

/** The verdict of a review. */
export type ReviewVerdict = "ship" | "ship_with_gates" | "do_not_ship" | "overridden";

/** A fix that was made along the way. */
export interface Fix {
  /** The file. */
  file: string;
  /** What was changed in it. */
  change: string;
}

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
