/** The state of a plan: `state.json`. */
export interface PlanState {
  /** The version of the format. */
  version: 2;
  /** Its id. */
  planId?: string;
  /** The path of plan.md. */
  planPath?: string;
  /** When the state was last written. */
  lastCheckpoint?: string;
  /** The checksum of plan.md when the state was last written. */
  checksum?: string;
  /** How far along it is. */
  progress?: PlanProgress;
  /** Its phases, by id. */
  phases?: { [name: string]: PlanPhase };
  /** The current phase. */
  currentPhase?: string | null;
  /** The current task. */
  currentTask?: string | null;
  /** Blockers. */
  blockers?: string[];
  /** Decisions. */
  decisions?: PlanDecision[];
  /** Session notes. */
  sessionNotes?: string | null;
  /** Who works on it, by name. */
  agents?: { [name: string]: SubAgent };
  /** The checksum of each phase file, by name. */
  phaseFiles?: { [name: string]: string } | null;
  /** The receipts of gates that were run, by name. */
  receipts?: { [name: string]: Receipt } | null;
  /** How the plan was closed before all of it was done, if it was. */
  closed?: PlanClosing | null;
}

/** The progress of a plan. */
export interface PlanProgress {
  /** The number of tasks. */
  totalTasks?: number;
  /** The number of completed tasks. */
  completedTasks?: number;
  /** The percentage of completed tasks, from 0 to 100, with one decimal. */
  percentage?: number;
}

/** A phase of a plan. */
export interface PlanPhase {
  /** Its status. */
  status: PlanPhaseStatus;
  /** When it was started. */
  startedAt?: string | null;
  /** When it was completed. */
  completedAt?: string | null;
  /** Its tasks, by id. */
  tasks?: { [name: string]: PlanTask };
  /** Its acceptance criteria, by id. */
  acceptance?: { [name: string]: AcceptanceCriterion };
}

/** The status of a phase of a plan. */
export type PlanPhaseStatus = "pending" | "in_progress" | "completed";

/** A task of a plan. */
export interface PlanTask {
  /** Whether it is done. */
  done?: boolean;
  /** When it was completed. */
  completedAt?: string | null;
  /** Who completed it. */
  completedBy?: string | null;
}

/** An acceptance criterion of a phase. */
export interface AcceptanceCriterion {
  /** Whether it is met. */
  met?: boolean;
  /** When that was first seen. */
  verifiedAt?: string | null;
}

/** A decision. */
export interface PlanDecision {
  /** When it was made. */
  time?: string | null;
  /** What was decided. */
  decision?: string;
  /** Why. */
  reason?: string | null;
  /** Who decided it. */
  by?: string | null;
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

/** How a plan was closed. */
export interface PlanClosing {
  /** Whether it counts as complete, or was abandoned. */
  status: PlanClosingStatus;
  /** When it was closed. */
  at?: string | null;
  /** Who closed it. */
  by?: string | null;
  /** Why it was abandoned. */
  reason?: string | null;
}

/** What closing made of a plan. */
export type PlanClosingStatus = "complete" | "abandoned";
