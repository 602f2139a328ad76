/** A task for a sub-agent. */
export interface HandoffRequest {
  /** Identifies the task. */
  task_id: string;
  /** The kind of step. */
  phase: Phase;
  /** The specialization of the sub-agent. */
  mode: Mode;
  /** What the sub-agent must know. */
  context: HandoffContext;
  /** What to do. */
  instructions: string;
  /** The form of the findings. */
  expected_output: ExpectedOutput;
}

/** The kind of step. */
export type Phase = "research" | "write" | "validate" | "parallel";

/** The specialization of the sub-agent. */
export type Mode = "plan" | "code" | "ui" | "docs" | "eval" | "reconcile" | "research";

/** What a sub-agent must know. */
export interface HandoffContext {
  /** What the work is about. */
  feature: string;
  /** The path of the specification. */
  spec_path?: string | null;
  /** Files to look at first. */
  relevant_files?: string[] | null;
  /** Rules to follow. */
  constraints?: string[] | null;
  /** The summary of the previous step, in at most 500 tokens, or the setting `summary_limit`. */
  previous_summary?: string | null;
}

/** The form of the findings. */
export type ExpectedOutput = "structured_findings" | "files_changed" | "validation_result" | "aggregated_results";
