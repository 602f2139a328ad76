/** One line of a history. The members that are not listed belong to the event. */
export interface HistoryLine {
  /** When. */
  ts: string;
  /** What happened. */
  event: string;
  /** The revision; the lines of one change share it. Lines of other writers have none. */
  rev?: number | null;
  /** The life of this history, named when it began. */
  epoch?: string | null;
  /** Who did it. */
  by?: string | null;
  /** What changed in which file; on the first line of a change. */
  files?: { [name: string]: FileRecord } | null;
}

/** What changed in a file. */
export interface FileRecord {
  /** The hash of its content before; null where there was no file. */
  from?: string | null;
  /** The hash of its content after. */
  to?: string | null;
  /** What was replaced: the offset, the old and the new text of each place. */
  edit?: unknown[] | null;
  /** The whole new content. */
  content?: unknown;
}
