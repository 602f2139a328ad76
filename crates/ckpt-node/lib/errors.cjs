// The errors that the engine throws.
"use strict";

/**
 * Why the engine refused or failed to do something.
 */
class CkptError extends Error {
  /**
   * @param {{kind: string, exit: number, message: string, hint?: string | null}} told - The failure, as reported
   */
  constructor(told) {
    super(told.message);
    this.name = this.constructor.name;
    /** The kind of failure, such as "not_found". */
    this.kind = told.kind;
    /** The same as an error code, such as "CKPT_NOT_FOUND". */
    this.code = `CKPT_${told.kind.toUpperCase()}`;
    /** The exit code of the command. */
    this.exit = told.exit;
    /** What to do about it. */
    this.hint = told.hint ?? null;
  }
}

/** Input or output failed. */
class FailedError extends CkptError {}
/** The call itself is wrong. */
class UsageError extends CkptError {}
/** It does not exist. */
class NotFoundError extends CkptError {}
/** It is invalid, or a rule forbids it. */
class InvalidError extends CkptError {}
/** Someone else is changing it, or has changed it. */
class ConflictError extends CkptError {}
/** A gate blocks it. */
class BlockedError extends CkptError {}
/** It was saved at another commit. */
class StaleError extends CkptError {}
/** It is already complete. */
class AlreadyCompleteError extends CkptError {}

const KINDS = {
  failed: FailedError,
  usage: UsageError,
  not_found: NotFoundError,
  invalid: InvalidError,
  conflict: ConflictError,
  blocked: BlockedError,
  stale: StaleError,
  already_complete: AlreadyCompleteError,
};

/**
 * The error for a failure that the engine reports.
 * @param {{kind: string, exit: number, message: string, hint?: string | null}} told - The failure, as reported
 * @returns {CkptError} An error of the class for its kind.
 */
function errorOf(told) {
  const Kind = Object.hasOwn(KINDS, told.kind) ? KINDS[told.kind] : CkptError;
  return new Kind(told);
}

module.exports = {
  CkptError,
  FailedError,
  UsageError,
  NotFoundError,
  InvalidError,
  ConflictError,
  BlockedError,
  StaleError,
  AlreadyCompleteError,
  errorOf,
};
