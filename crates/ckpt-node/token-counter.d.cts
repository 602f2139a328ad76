/** How many tokens a context summary may have. */
export const MAX_SUMMARY_TOKENS: number;

/** Count tokens: words between white space; 0 for null and undefined. */
export function countTokens(text: unknown): number;

/** Whether a context summary may be saved, and why not. */
export interface SummaryVerdict {
  valid: boolean;
  tokenCount: number;
  limit: number;
  error?: string;
}

/** Check the length of a context summary. */
export function validateContextSummary(summary: unknown, maxTokens?: number): SummaryVerdict;
