/** Where a build pipeline stands. Older files have other names for some of it (`prd_id`, `id`, `updated_at`), which are read as well. */
export interface PipelineCheckpoint {
  /** Its id, such as `PRD-003`. */
  prd?: string | null;
  /** What it is called. */
  prd_title?: string | null;
  /** The number of the last phase that is done. */
  current_phase?: unknown;
  /** Where it is. */
  status: PipelineStatus;
  /** Workstreams that are complete. */
  completed_workstreams?: Bucket | null;
  /** Workstreams that run. */
  in_progress_workstreams?: Bucket | null;
  /** Workstreams that are not yet started. */
  pending_workstreams?: Bucket | null;
  /** Workstreams that are put off. */
  dormant_workstreams?: Bucket | null;
  /** The files that each workstream made. */
  artifacts?: unknown;
  /** Gates that passed, as `name (WS1)` or `name`. */
  gates_passed?: Bucket | null;
  /** Gates that did not pass yet. */
  gates_pending?: Bucket | null;
  /** What went wrong; only while it has failed. */
  error?: PipelineFailure | null;
  /** When it was last changed. */
  timestamp?: string | null;
  /** The specification that it follows. */
  execution_spec?: ExecutionSpec | null;
  /** What came of the gates that were run or claimed, by `name (WS1)` or `name`. */
  receipts?: { [name: string]: Receipt } | null;
  /** What sub-agents answered, by workstream. */
  handoffs?: { [name: string]: RecordedHandoff } | null;
  /** What the adversarial review says. */
  adversarial_review?: AdversarialReview | null;
  /** Fixes that the linter asked for, as `{file, change}`. */
  eslint_fixes?: unknown;
  /** Fixes that mattered, as `{file, change}`. */
  key_fixes?: unknown;
  /** What was tidied up. */
  cleanup_done?: unknown;
}

/** Where a pipeline is. */
export type PipelineStatus = "initialized" | "in_progress" | "paused" | "failed" | "complete" | "executing" | "in-progress" | "approved" | "awaiting_approval" | "ready_for_approval" | "completed" | "COMPLETE" | "COMPLETED";

/** A list, or a map from names, which others keep. */
export type Bucket = ListEntry[] | { [name: string]: unknown };

/** A name, or an object that has one. */
export type ListEntry = string | NamedEntry;

/** An entry of a list with more than its name. */
export interface NamedEntry {
  /** The name. */
  id?: string | null;
  /** Why it is put off. */
  reason?: string | null;
}

/** What went wrong in a pipeline. */
export type PipelineFailure = string | PipelineError;

/** What went wrong in a pipeline, in full. */
export interface PipelineError {
  /** The workstream. */
  workstream?: string | null;
  /** In words. */
  message: string;
  /** The file. */
  file?: string | null;
  /** The line in it. */
  line?: number | null;
}

/** The specification that a pipeline follows. */
export type ExecutionSpec = string | KnownSpec;

/** What is known of a specification. */
export interface KnownSpec {
  /** Where it is, seen from the root. */
  path?: string | null;
  /** Its hash when it was last taken over. */
  hash?: string | null;
  /** The workstreams that were running when something went wrong. */
  interrupted?: string[] | null;
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

/** What an adversarial review says. */
export interface AdversarialReview {
  /** The verdict. */
  verdict: ReviewVerdict;
  /** Findings of the worst kind. */
  p0_count: number;
  /** Findings of the next kind. */
  p1_count: number;
  /** The first or the second. */
  attempt: number;
  /** Where the findings are. */
  findings_path?: string | null;
  /** Why it is overridden. */
  override_reason?: string | null;
}

/** The verdict of a review. */
export type ReviewVerdict = "ship" | "ship_with_gates" | "do_not_ship" | "overridden";
