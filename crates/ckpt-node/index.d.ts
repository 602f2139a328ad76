// ckpt: durable, resumable workflow state for AI coding agents.
import type { Workspace } from "./types/workspace";
import type { Output } from "./types/reports";

export * from "./checkpoint-manager.cjs";
export * from "./token-counter.cjs";
export type { Commands, PromisedCommands, Workspace } from "./types/workspace";
export type { UnifiedCheckpoint } from "./types/checkpoint";
export type { Output } from "./types/reports";

/** Options for opening a workspace. */
export interface OpenOptions {
  /** Who makes changes, for the history: `main`, `subagent:TYPE` or `team:ID`. */
  by?: string;
  /** Called with each note that a command prints besides its result. */
  onNote?: (note: string) => void;
}

/**
 * Opens the workspace that a directory belongs to. Its functions return what the command line prints with `--json`, and
 * throw a {@link CkptError} if a command fails.
 * @param directory Defaults to the working directory at the time of each call.
 */
export function open(directory?: string, options?: OpenOptions): Workspace;

/** The directory of command checkpoints: `.claude/state` in the root of the repository. */
export function getStateDir(directory?: string): string;

/** Why the engine refused or failed to do something. */
export class CkptError extends Error {
  /** The kind of failure, such as `not_found`. */
  readonly kind: string;
  /** The same as an error code, such as `CKPT_NOT_FOUND`. */
  readonly code: string;
  /** The exit code of the command. */
  readonly exit: number;
  /** What to do about it. */
  readonly hint: string | null;
}

/** Input or output failed. */
export class FailedError extends CkptError {}
/** The call itself is wrong. */
export class UsageError extends CkptError {}
/** It does not exist. */
export class NotFoundError extends CkptError {}
/** It is invalid, or a rule forbids it. */
export class InvalidError extends CkptError {}
/** Someone else is changing it, or has changed it. */
export class ConflictError extends CkptError {}
/** A gate blocks it. */
export class BlockedError extends CkptError {}
/** It was saved at another commit. */
export class StaleError extends CkptError {
  /** The report that the command would have returned. */
  readonly report: Output["resume"];
}
/** It is already complete. */
export class AlreadyCompleteError extends CkptError {}
