// What a scripted model says and does. A script lists the turns of each conversation; a turn is a list of steps.

/** A step: the model says something. */
export const say = (text) => ({ say: text });

/** A step: the model calls a tool. `extra` is what only one wire protocol needs. */
export const call = (tool, input, extra = {}) => ({ call: tool, input, ...extra });

/** A turn that is given only when the life allows it: the client waits for the model meanwhile. */
export const held = (name, ...steps) => ({ held: name, steps });

/** A turn after which the client believes that its context window is nearly full. */
export const crowded = (...steps) => ({ crowded: true, steps });

// Each conversation is recognised by a mark in its first prompt. The client may add text around it.
const LEAD = '(lead)';
const HELPER = /\(helper (\w+)\)/;

/** The prompt of the user. */
export const leadPrompt = (text) => `${LEAD} ${text}`;

/** The prompt of a sub-agent that follows the turns listed under `name`. */
export const helperPrompt = (name, text) => `(helper ${name}) ${text}`;

/**
 * Which conversation a request belongs to: `lead`, the name of a helper, or `aside` for what a client asks besides,
 * such as a title. After a compaction the prompt may be gone; the tools then tell the lead from an aside.
 */
export function conversationOf({ items, tools }) {
  const prompts = items.filter((item) => item.from === 'user').map((item) => item.text);
  if (prompts.some((text) => text.includes(LEAD))) return 'lead';
  const helper = prompts.map((text) => text.match(HELPER)?.[1]).find(Boolean);
  return helper ?? (tools.length > 3 ? 'lead' : 'aside');
}

/** The turns of a script, each given once. */
export class Script {
  #turns;
  #given = new Map();

  constructor(turns) {
    this.#turns = turns;
  }

  /** The next turn of a conversation, with lazy steps made; a script that is at its end says so. */
  next(conversation) {
    const at = this.#given.get(conversation) ?? 0;
    this.#given.set(conversation, at + 1);
    const turn = this.#turns[conversation]?.[at] ?? [say('Nothing is left to do.')];
    const { steps, ...rest } = Array.isArray(turn) ? { steps: turn } : turn;
    return { ...rest, steps: steps.map((step) => (typeof step === 'function' ? step() : step)) };
  }
}
