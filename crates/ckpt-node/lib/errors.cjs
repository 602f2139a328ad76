// What the engine throws.
"use strict";

/**
 * Something that the engine did not do, and why.
 */
class CkptError extends Error {
  /**
   * @param {{kind: string, exit: number, message: string, hint?: string | null}} told - What the engine says of it
   */
  constructor(told) {
    super(told.message);
    this.name = this.constructor.name;
    /** What kind of failure it is, such as "not_found". */
    this.kind = told.kind;
    /** The same for those who look at codes, such as "CKPT_NOT_FOUND". */
    this.code = `CKPT_${told.kind.toUpperCase()}`;
    /** The exit code that the command would have had. */
    this.exit = told.exit;
    /** What to do about it. */
    this.hint = told.hint ?? null;
  }
}

/** Input or output failed. */
class FailedError extends CkptError {}
/** It was not called as it should be. */
class UsageError extends CkptError {}
/** There is no such thing. */
class NotFoundError extends CkptError {}
/** It is not valid, or the rules refuse it. */
class InvalidError extends CkptError {}
/** Somebody else changes the same, or has changed it. */
class ConflictError extends CkptError {}
/** A gate does not let it pass. */
class BlockedError extends CkptError {}
/** It was saved at another commit. */
class StaleError extends CkptError {}
/** It is complete already. */
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
 * The error of a failure that the engine tells of.
 * @param {{kind: string, exit: number, message: string, hint?: string | null}} told - What it says
 * @returns {CkptError} Of the class of its kind.
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
