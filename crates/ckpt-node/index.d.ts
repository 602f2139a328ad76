// ckpt: durable, resumable workflow state for AI coding agents.
import type { Workspace } from "./types/workspace";
import type { Output } from "./types/reports";

export * from "./checkpoint-manager.cjs";
export * from "./token-counter.cjs";
export type { Commands, PromisedCommands, Workspace } from "./types/workspace";
export type { UnifiedCheckpoint } from "./types/checkpoint";
export type { Output } from "./types/reports";

/** How a workspace is opened. */
export interface OpenOptions {
  /** Who makes changes, for the history: `main`, `subagent:TYPE` or `team:ID`. */
  by?: string;
  /** Hears what is said beside results. */
  onNote?: (note: string) => void;
}

/**
 * Opens the workspace that a directory belongs to. Its functions return what the command line prints with `--json`, and
 * throw a {@link CkptError} where a command fails.
 * @param directory The working directory of each call if it is left out.
 */
export function open(directory?: string, options?: OpenOptions): Workspace;

/** Where the checkpoints of commands lie: `.claude/state` in the root of the repository. */
export function getStateDir(directory?: string): string;

/** Something that the engine did not do, and why. */
export class CkptError extends Error {
  /** What kind of failure it is, such as `not_found`. */
  readonly kind: string;
  /** The same for those who look at codes, such as `CKPT_NOT_FOUND`. */
  readonly code: string;
  /** The exit code that the command would have had. */
  readonly exit: number;
  /** What to do about it. */
  readonly hint: string | null;
}

/** Input or output failed. */
export class FailedError extends CkptError {}
/** It was not called as it should be. */
export class UsageError extends CkptError {}
/** There is no such thing. */
export class NotFoundError extends CkptError {}
/** It is not valid, or the rules refuse it. */
export class InvalidError extends CkptError {}
/** Somebody else changes the same, or has changed it. */
export class ConflictError extends CkptError {}
/** A gate does not let it pass. */
export class BlockedError extends CkptError {}
/** It was saved at another commit. */
export class StaleError extends CkptError {
  /** What would have been answered. */
  readonly report: Output["resume"];
}
/** It is complete already. */
export class AlreadyCompleteError extends CkptError {}
