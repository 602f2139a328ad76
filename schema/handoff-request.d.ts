/** A task for a sub-agent. */
export interface HandoffRequest {
  /** Names the task. */
  task_id: string;
  /** What kind of step it is. */
  phase: Phase;
  /** What the sub-agent is a specialist for. */
  mode: Mode;
  /** What it has to know. */
  context: HandoffContext;
  /** What to do. */
  instructions: string;
  /** What form the findings take. */
  expected_output: ExpectedOutput;
}

/** What kind of step it is. */
export type Phase = "research" | "write" | "validate" | "parallel";

/** What the sub-agent is a specialist for. */
export type Mode = "plan" | "code" | "ui" | "docs" | "eval" | "reconcile" | "research";

/** What a sub-agent has to know. */
export interface HandoffContext {
  /** What the work is about. */
  feature: string;
  /** Where the specification is. */
  spec_path?: string | null;
  /** Files to look at first. */
  relevant_files?: string[] | null;
  /** What must be kept to. */
  constraints?: string[] | null;
  /** What the step before came to, in at most 500 tokens. */
  previous_summary?: string | null;
}

/** What is expected in return. */
export type ExpectedOutput = "structured_findings" | "files_changed" | "validation_result" | "aggregated_results";
