/** One line of a history. Members not listed here belong to the event. */
export interface HistoryLine {
  /** When it happened. */
  ts: string;
  /** What happened. */
  event: string;
  /** The revision, shared by all lines of one change. Lines of other tools have none. */
  rev?: number | null;
  /** The epoch of this history, named when it began. */
  epoch?: string | null;
  /** Who did it. */
  by?: string | null;
  /** The agent's session. */
  session?: string | null;
  /** The branch that was checked out. */
  branch?: string | null;
  /** The commit that was checked out; only on the first line of a change. */
  head?: string | null;
  /** What changed in which file; only on the first line of a change. */
  files?: { [name: string]: FileRecord } | null;
}

/** The change of a file. */
export interface FileRecord {
  /** The hash of its content before; null if there was no file. */
  from?: string | null;
  /** The hash of its content after. */
  to?: string | null;
  /** The replacements, each with its offset, old text and new text. */
  edit?: unknown[] | null;
  /** The whole new content; beside `edit` from time to time. */
  content?: unknown;
}
