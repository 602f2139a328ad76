/** The response of a sub-agent. */
export interface HandoffResponse {
  /** The task of the request. */
  task_id: string;
  /** The phase of the request. */
  phase: Phase;
  /** How far the task got. */
  status: Status;
  /** What to do now. */
  decision: Decision;
  /** The findings; their members depend on the phase. */
  findings: HandoffFindings;
  /** What the next phase must know, in at most 500 tokens, or the setting `summary_limit`. */
  context_summary: string;
  /** How many tokens it used. */
  tokens_used?: number | null;
  /** What went wrong or is unclear. */
  issues?: unknown[] | null;
}

/** The kind of step. */
export type Phase = "research" | "write" | "validate" | "parallel";

/** How far the task got. */
export type Status = "complete" | "partial" | "blocked";

/** What to do now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

/** The findings of a sub-agent. */
export interface HandoffFindings {
  /** Research: existing implementations. */
  existing_implementations?: ExistingImplementation[] | null;
  /** Research: conflicts. */
  conflicts?: FoundConflict[] | null;
  /** Research: patterns found. */
  patterns_found?: FoundPattern[] | null;
  /** Research: recommendations. */
  recommendations?: unknown[] | null;
  /** Write: files created. */
  files_created?: CreatedFile[] | null;
  /** Write: files modified. */
  files_modified?: ModifiedFile[] | null;
  /** Write: tests written. */
  tests_written?: WrittenTest[] | null;
  /** Write: notes on the implementation. */
  implementation_notes?: unknown[] | null;
  /** Validate: the checks. */
  checks?: Checks | null;
  /** Validate, parallel: whether everything passed. */
  overall_passed?: boolean | null;
  /** Validate: blocking issues. */
  blocking_issues?: unknown[] | null;
  /** Validate: warnings. */
  warnings?: unknown[] | null;
  /** Parallel: the result of each step. */
  results?: unknown[] | null;
  /** Parallel: the combined result. */
  aggregation?: Aggregation | null;
}

/** An existing implementation. */
export interface ExistingImplementation {
  /** The file. */
  file: string;
  /** What it is. */
  description: string;
  /** Why it is relevant. */
  relevance: unknown;
}

/** A conflict. */
export interface FoundConflict {
  /** The kind of conflict. */
  type: string;
  /** What it is. */
  description: string;
  /** How severe it is. */
  severity: unknown;
}

/** A pattern used elsewhere. */
export interface FoundPattern {
  /** The file. */
  file: string;
  /** The pattern. */
  pattern: string;
  /** What to do with it. */
  recommendation: string;
}

/** A file that was created. */
export interface CreatedFile {
  /** Its path. */
  path: string;
  /** Its purpose. */
  purpose: string;
}

/** A file that was modified. */
export interface ModifiedFile {
  /** Its path. */
  path: string;
  /** What changed. */
  changes: unknown;
}

/** A test file that was written. */
export interface WrittenTest {
  /** Its path. */
  path: string;
  /** The number of tests in it. */
  test_count?: number | null;
  /** What they cover. */
  coverage_areas?: string[] | null;
}

/** The checks of a validation. */
export interface Checks {
  /** Types. */
  types?: unknown;
  /** Linting. */
  lint?: unknown;
  /** Tests. */
  tests?: unknown;
  /** Security. */
  security?: unknown;
}

/** The combined result of several steps. */
export interface Aggregation {
  /** How many there were. */
  total?: number | null;
  /** How many passed. */
  passed?: number | null;
  /** How many failed. */
  failed?: number | null;
  /** How the overall result follows from them. */
  rule?: string | null;
  /** Whether everything passed. */
  overall_passed?: boolean | null;
}
