import type { CommandPhase, UnifiedCheckpoint } from "./types/checkpoint";

/** Where to resume. */
export interface ResumePoint {
  /** The current phase. */
  phase: string | null;
  /** The summary of the last completed phase. */
  summary: string | null;
}

/** Load the checkpoint of a command; null if there is none or it cannot be read. */
export function loadCheckpoint(command: string, feature?: string | null): UnifiedCheckpoint | null;

/** Save the checkpoint of a command. Changes that others made since it was loaded are merged. */
export function saveCheckpoint(command: string, checkpoint: UnifiedCheckpoint, feature?: string | null): boolean;

/** Update a phase of a checkpoint. Creates the checkpoint if there is none. */
export function updatePhase(
  command: string,
  phaseName: string,
  phaseData: Partial<CommandPhase> & { [name: string]: unknown },
  feature?: string | null,
): boolean;

/** Mark a checkpoint as complete. */
export function completeCheckpoint(command: string, feature?: string | null): boolean;

/** Get the point to resume from. */
export function getResumePoint(command: string, feature?: string | null): ResumePoint;
