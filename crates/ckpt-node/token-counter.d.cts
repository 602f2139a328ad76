/** The token limit of a context summary. */
export const MAX_SUMMARY_TOKENS: number;

/** Count tokens: words separated by white space; 0 for null and undefined. */
export function countTokens(text: unknown): number;

/** Whether a context summary is within the limit, and if not, an error message. */
export interface SummaryVerdict {
  valid: boolean;
  tokenCount: number;
  limit: number;
  error?: string;
}

/** Check the length of a context summary. */
export function validateContextSummary(summary: unknown, maxTokens?: number): SummaryVerdict;
