/** A message about something that happened, as it is sent to a webhook. */
export interface Webhook {
  /** The name of the event, as in the history; `ckpt.test` if nothing happened. */
  type: string;
  /** When it happened. */
  timestamp: string;
  data: WebhookData;
}

/** What happened, and where. */
export interface WebhookData {
  /** The name of the repository's directory. */
  repository: string;
  /** The checkpoint, such as `command:implement/auth`. */
  checkpoint?: string | null;
  /** The worktree, by its id. */
  worktree?: string | null;
  /** The revision of the checkpoint; several messages can share one. */
  revision?: string | null;
  /** The author. */
  by?: string | null;
  /** The agent's session. */
  session?: string | null;
  /** The branch that was checked out. */
  branch?: string | null;
  /** The commit that was checked out. */
  commit?: string | null;
  /** What happened, in words. */
  story: string;
  /** The command that begins to settle it, if somebody has to act. */
  needs_you?: string | null;
  /** The details of the event, as in the history: texts, numbers, switches and lists of texts. */
  details: { [name: string]: unknown };
}
