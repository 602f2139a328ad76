import { claude } from './claude.mjs';
import { codex } from './codex.mjs';
import { copilot } from './copilot.mjs';
import { gemini } from './gemini.mjs';

/** The clients, in the order of the table. */
export const CLIENTS = [claude, codex, gemini, copilot];
