// Compiled, never run: the types allow what they should.
import ckpt, { NotFoundError, countTokens, loadCheckpoint, open, updatePhase } from "ckpt";
import { saveCheckpoint } from "ckpt/checkpoint-manager.cjs";
import { MAX_SUMMARY_TOKENS } from "ckpt/token-counter.cjs";

const checkpoint = loadCheckpoint("implement", "auth");
export const current: string | null | undefined = checkpoint?.state.current_phase;
export const saved: boolean = checkpoint !== null && saveCheckpoint("implement", checkpoint, "auth");
export const updated: boolean = updatePhase("implement", "build", { status: "complete", tasks: { T1: true } });
export const left: number = MAX_SUMMARY_TOKENS - countTokens("a b");

const workspace = open("/somewhere", { by: "team:a", onNote: (note) => note.length });
export const next: string[] = workspace.plan.next().next.map((task) => task.task);
export const made = workspace.plan.new("A title").plan;
export const gate: Promise<string> = workspace.promises.gates.check("ship").then((report) => report.verdict);
export const state: string = ckpt.getStateDir();
try {
  workspace.command.complete("ship");
} catch (error) {
  if (error instanceof NotFoundError) console.log(error.hint, error.exit + 1);
}

// @ts-expect-error there is no such status
updatePhase("implement", "build", { status: "odd" });
// @ts-expect-error there is no such option
workspace.plan.show({ odd: true });
// @ts-expect-error the key is missing
workspace.command.complete();
// @ts-expect-error the reason is missing
workspace.command.abandon("design");
