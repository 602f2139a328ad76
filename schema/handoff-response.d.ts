/** What a sub-agent answers. */
export interface HandoffResponse {
  /** The task of the request. */
  task_id: string;
  /** The phase of the request. */
  phase: Phase;
  /** How far it came. */
  status: Status;
  /** What is to be done now. */
  decision: Decision;
  /** What was found or made; what is in it depends on the phase. */
  findings: HandoffFindings;
  /** What the next phase must know, in at most 500 tokens. */
  context_summary: string;
  /** What it cost. */
  tokens_used?: number | null;
  /** What went wrong or is unclear. */
  issues?: unknown[] | null;
}

/** What kind of step it is. */
export type Phase = "research" | "write" | "validate" | "parallel";

/** How far it came. */
export type Status = "complete" | "partial" | "blocked";

/** What is to be done now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

/** What was found or made. */
export interface HandoffFindings {
  /** Research: what there is already. */
  existing_implementations?: ExistingImplementation[] | null;
  /** Research: what does not go together. */
  conflicts?: FoundConflict[] | null;
  /** Research: how it is done elsewhere. */
  patterns_found?: FoundPattern[] | null;
  /** Research: what to do. */
  recommendations?: unknown[] | null;
  /** Write: files that were made. */
  files_created?: CreatedFile[] | null;
  /** Write: files that were changed. */
  files_modified?: ModifiedFile[] | null;
  /** Write: tests that were made. */
  tests_written?: WrittenTest[] | null;
  /** Write: what is worth knowing. */
  implementation_notes?: unknown[] | null;
  /** Validate: what was checked. */
  checks?: Checks | null;
  /** Validate, parallel: whether all is well. */
  overall_passed?: boolean | null;
  /** Validate: what stands in the way. */
  blocking_issues?: unknown[] | null;
  /** Validate: what is odd. */
  warnings?: unknown[] | null;
  /** Parallel: what each came to. */
  results?: unknown[] | null;
  /** Parallel: what all came to. */
  aggregation?: Aggregation | null;
}

/** Something that is there already. */
export interface ExistingImplementation {
  /** Where. */
  file: string;
  /** What. */
  description: string;
  /** Why it matters. */
  relevance: unknown;
}

/** Things that do not go together. */
export interface FoundConflict {
  /** Of which kind. */
  type: string;
  /** What. */
  description: string;
  /** How bad. */
  severity: unknown;
}

/** How something is done elsewhere. */
export interface FoundPattern {
  /** Where. */
  file: string;
  /** How. */
  pattern: string;
  /** What follows. */
  recommendation: string;
}

/** A file that was made. */
export interface CreatedFile {
  /** Where. */
  path: string;
  /** What for. */
  purpose: string;
}

/** A file that was changed. */
export interface ModifiedFile {
  /** Where. */
  path: string;
  /** How. */
  changes: unknown;
}

/** A test that was made. */
export interface WrittenTest {
  /** Where. */
  path: string;
  /** How many there are in it. */
  test_count?: number | null;
  /** What they are about. */
  coverage_areas?: string[] | null;
}

/** What was checked. */
export interface Checks {
  /** Types. */
  types?: unknown;
  /** Style. */
  lint?: unknown;
  /** Tests. */
  tests?: unknown;
  /** Security. */
  security?: unknown;
}

/** What several came to. */
export interface Aggregation {
  /** How many there were. */
  total?: number | null;
  /** How many passed. */
  passed?: number | null;
  /** How many failed. */
  failed?: number | null;
  /** How it is told from those whether all is well. */
  rule?: string | null;
  /** Whether all is well. */
  overall_passed?: boolean | null;
}
