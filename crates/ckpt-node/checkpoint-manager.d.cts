import type { CommandPhase, UnifiedCheckpoint } from "./types/checkpoint";

/** Where to go on. */
export interface ResumePoint {
  /** The phase under way. */
  phase: string | null;
  /** What the last completed phase left. */
  summary: string | null;
}

/** Load the checkpoint of a command; null if there is none or it cannot be read. */
export function loadCheckpoint(command: string, feature?: string | null): UnifiedCheckpoint | null;

/** Save the checkpoint of a command. What others changed since it was loaded is kept. */
export function saveCheckpoint(command: string, checkpoint: UnifiedCheckpoint, feature?: string | null): boolean;

/** Update a phase of a checkpoint. Makes the checkpoint if there is none. */
export function updatePhase(
  command: string,
  phaseName: string,
  phaseData: Partial<CommandPhase> & { [name: string]: unknown },
  feature?: string | null,
): boolean;

/** Mark a checkpoint as complete. */
export function completeCheckpoint(command: string, feature?: string | null): boolean;

/** Say where to go on. */
export function getResumePoint(command: string, feature?: string | null): ResumePoint;
