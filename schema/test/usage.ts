// Compiled, never run: the declarations can be used as they are meant to be.
import type { UnifiedCheckpoint } from "../command";
import type { PipelineCheckpoint } from "../pipeline";
import type { PlanState } from "../plan-state";
import type { HistoryLine } from "../history";
import type { Recovery } from "../recovery";
import type { HandoffRequest } from "../handoff-request";
import type { HandoffResponse } from "../handoff-response";
import type { Output } from "../output";

const checkpoint: UnifiedCheckpoint = {
  command: "implement",
  version: 1,
  state: { current_phase: null, completed_phases: ["a"], pending_phases: [] },
  phases: { a: { status: "complete", context_summary: "s" } },
};
const pipeline: PipelineCheckpoint = { status: "paused", completed_workstreams: ["WS1", { id: "WS2" }] };
const state: PlanState = { version: 2, phases: { one: { status: "completed" } } };
const recovery: Recovery = { state };
const line: HistoryLine = { ts: "2026-01-29T10:30:00.000Z", event: "adopted", rev: 1 };
const request: HandoffRequest = {
  task_id: "T1",
  phase: "write",
  mode: "code",
  context: { feature: "auth" },
  instructions: "i",
  expected_output: "files_changed",
};
const response: HandoffResponse = {
  task_id: "T1",
  phase: "write",
  status: "complete",
  decision: "PROCEED",
  findings: { files_created: [{ path: "a", purpose: "p" }] },
  context_summary: "s",
};
export const next = (listed: Output["list"]): string[] => listed.checkpoints.map((one) => one.key);

// @ts-expect-error there is no such version
export const wrongVersion: UnifiedCheckpoint = { ...checkpoint, version: 2 };
// @ts-expect-error there is no such status
export const wrongStatus: PipelineCheckpoint = { ...pipeline, status: "odd" };
// @ts-expect-error the decision is missing
export const wrongResponse: HandoffResponse = { ...response, decision: undefined };
// @ts-expect-error there is no such mode
export const wrongRequest: HandoffRequest = { ...request, mode: "hack" };
export const used = [recovery, line];
