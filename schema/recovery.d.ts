/** A copy of a plan's state: `recovery.json`. */
export interface Recovery {
  /** When it was made. */
  savedAt?: string | null;
  /** Why it was made. */
  reason?: string | null;
  /** The revision that it holds. */
  rev?: unknown;
  /** The state. */
  state: PlanState;
}

/** Where a plan stands: `state.json`. */
export interface PlanState {
  /** The version of the format. */
  version: 2;
  /** Its id. */
  planId?: string;
  /** Where it is. */
  planPath?: string;
  /** When the state was last written. */
  lastCheckpoint?: string;
  /** The hash of plan.md when the state was last written. */
  checksum?: string;
  /** How far it is. */
  progress?: PlanProgress;
  /** Its phases, by id. */
  phases?: { [name: string]: PlanPhase };
  /** The phase under way. */
  currentPhase?: string | null;
  /** The task under way. */
  currentTask?: string | null;
  /** What stands in the way. */
  blockers?: unknown[];
  /** What was decided. */
  decisions?: PlanDecision[];
  /** What was noted. */
  sessionNotes?: string | null;
  /** Who works on it, by name. */
  agents?: { [name: string]: PlanAgent };
  /** What came of the gates that were run, by name. */
  receipts?: { [name: string]: Receipt } | null;
}

/** How far a plan is. */
export interface PlanProgress {
  /** How many tasks there are. */
  totalTasks?: number | null;
  /** How many are done. */
  completedTasks?: number | null;
  /** The share of them in per cent. */
  percentage?: unknown;
}

/** A phase of a plan. */
export interface PlanPhase {
  /** How far it is. */
  status: PlanPhaseStatus;
  /** Its tasks, by id. */
  tasks?: { [name: string]: PlanTask } | null;
  /** When it was completed. */
  completedAt?: string | null;
}

/** How far a phase of a plan is. */
export type PlanPhaseStatus = "pending" | "in_progress" | "completed";

/** A task of a plan. */
export interface PlanTask {
  /** Whether it is done. */
  done?: boolean;
  /** What it is about. */
  description?: string | null;
  /** When it was done. */
  completedAt?: string | null;
  /** By whom. */
  completedBy?: string | null;
}

/** Something that was decided. */
export interface PlanDecision {
  /** When. */
  time?: string | null;
  /** What. */
  decision?: string | null;
  /** Why. */
  reason?: string | null;
}

/** Somebody who works on a plan. */
export interface PlanAgent {
  /** The type of a sub-agent, else `team` or `main`. */
  type?: string;
  /** What it took over. */
  assignedTasks?: unknown[];
  /** What it did. */
  completedTasks?: unknown[];
  /** When it last changed something. */
  lastActive?: string | null;
  /** The session that it works in. */
  session?: string | null;
  /** When a sub-agent began. */
  startedAt?: string | null;
  /** When it ended. Its claims have lapsed since. */
  endedAt?: string | null;
  /** What it says it has done and the plan does not show. */
  claimedTasks?: unknown[] | null;
  /** Whether it was at work when its session ended. */
  died?: boolean | null;
  /** What it handed over. */
  handoff?: unknown;
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
