// The package as an ES module.
import ckpt from "./index.cjs";

export const {
  loadCheckpoint,
  saveCheckpoint,
  updatePhase,
  completeCheckpoint,
  getResumePoint,
  MAX_SUMMARY_TOKENS,
  countTokens,
  validateContextSummary,
  CkptError,
  FailedError,
  UsageError,
  NotFoundError,
  InvalidError,
  ConflictError,
  BlockedError,
  StaleError,
  AlreadyCompleteError,
  open,
  getStateDir,
} = ckpt;

export default ckpt;
