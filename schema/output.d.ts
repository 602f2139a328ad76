/** The --json output of each command, under its name. Each object also has "format": 1 and, if a change brought back first what was missing or damaged, "recovered". If a command fails, it prints "error". */
export interface Output {
  phase: Change;
  complete: Change;
  abandon: Change;
  save: Change;
  "gate set": Change;
  "gate override": Change;
  recover: Change;
  restore: Change;
  undo: Change;
  "undo --session": SessionUndone;
  "pipeline start": Change;
  "pipeline done": Change;
  "pipeline fail": Change;
  "pipeline fixed": Change;
  "pipeline defer": Change;
  "pipeline approve": Change;
  "pipeline review": Change;
  "pipeline note": Change;
  "pipeline sync": Change;
  "pipeline complete": Change;
  "pipeline reopen": Change;
  "pipeline abort": Change;
  "pipeline gate pass": Change;
  "pipeline gate fail": Change;
  init: Init;
  doctor: Doctor;
  start: Started;
  list: List;
  show: Shown;
  "pipeline show": Shown;
  status: Status;
  resume: Resumed;
  ack: Acknowledged;
  log: Log;
  diff: Differences;
  "recover (missing)": Recovered;
  archive: Archived;
  delete: Archived;
  "archive --dry-run": ArchivePlanned;
  unarchive: Unarchived;
  fork: Forked;
  rename: Renamed;
  gc: Collected;
  followers: Followers;
  "followers add": Followers;
  "followers remove": Followers;
  "followers run": FollowerRun;
  notify: Notify;
  "notify allow": Notify;
  "notify revoke": Notify;
  "notify test": NotifyTested;
  "notify retry": NotifyRetried;
  "notify log": NotifyLog;
  validate: Validated;
  "plan validate": Validated;
  "pipeline validate": Validated;
  tokens: TokensCounted;
  "tokens --fit": TextFitted;
  "gate check": GateChecked;
  "gate show": GateChecked;
  "ship check": ShipChecked;
  "ship text": ShipText;
  "ship preview": Previewed;
  "gate pre-push": PushJudged;
  "gate run": GateRan;
  "pipeline gate run": GateRan;
  "pipeline gate check": GatesChecked;
  "pipeline init": PipelineInitialized;
  "pipeline next": PipelineNext;
  "pipeline resume": PipelineResumed;
  "pipeline graph": PipelineGraph;
  "complete (plan)": PlanChange;
  "abandon (plan)": PlanChange;
  "restore (plan)": PlanChange;
  "undo (plan)": PlanChange;
  "recover (plan)": PlanChange;
  "plan new": PlanChange;
  "plan mark": PlanChange;
  "plan add": PlanChange;
  "plan edit": PlanChange;
  "plan done": PlanChange;
  "plan undo": PlanChange;
  "plan accept": PlanChange;
  "plan unaccept": PlanChange;
  "plan decide": PlanChange;
  "plan block": PlanChange;
  "plan unblock": PlanChange;
  "plan note": PlanChange;
  "plan claim": PlanChange;
  "plan release": PlanChange;
  "plan sync": PlanChange;
  "plan recover": PlanChange;
  "plan merge": PlanMerge;
  "plan show": PlanShown;
  "plan list": PlanList;
  "plan next": PlanNext;
  "plan use": ChosenPlan;
  "plan mark --dry-run": PlanDiff;
  config: Settings;
  "config list": Settings;
  "config get": Settings;
  "config set": SettingWritten;
  demo: DemoMade;
  "handoff check": HandoffChecked;
  "handoff fix": HandoffFixed;
  "handoff reply": HandoffRecorded;
  "handoff new": RequestMade;
  "handoff doc": ProtocolPrinted;
  schema: SchemaPrinted;
  "handoff doc --write": ProtocolWritten;
  error: Failed;
  recovered: RecoveredFirst[];
}

/** The `--json` report of a change. */
export interface Change {
  key: string;
  revision: string | null;
  created: boolean;
  moved_aside?: string | null;
  absorbed_foreign_edit: boolean;
  findings: Finding[];
}

/** One broken rule. */
export interface Finding {
  /** A stable name, such as `command.phase-status`. */
  rule: string;
  /** How severe it is. */
  severity: Severity;
  /** The file, if the document has several. */
  file?: string | null;
  /** The place in the document. */
  pointer: string;
  /** The line, from 1; 0 for a file as a whole. */
  line: number;
  /** The column in characters, from 1, if known. */
  column?: number | null;
  /** A sentence that a person can act on. */
  message: string;
}

/** How severe a finding is. */
export type Severity = "warning" | "error";

export interface SessionUndone {
  /** The session, in full. */
  session: string;
  /** The checkpoints in which its changes were taken back. */
  undone: SessionUndoneIn[];
  /** The checkpoints in which nothing was changed, although it changed something there. */
  refused: SessionUndoRefusedIn[];
  /** Its approvals, reviews and results of gates, which are never taken back. */
  staying: SessionStaysIn[];
}

export interface SessionUndoneIn {
  key: string;
  /** The new revision. */
  revision: string;
  /** What was taken back, newest first. */
  changes: ToldChange[];
}

/** A change in words. */
export interface ToldChange {
  /** The number of its revision. */
  revision: number | null;
  /** The exact name of its revision. */
  exact: string | null;
  what: string;
  by: string;
}

export interface SessionUndoRefusedIn {
  key: string;
  /** Why. */
  reason: string;
  /** What can be done instead. */
  hint?: string | null;
  /** The change that cannot be taken back. */
  change?: ToldChange | null;
  /** The later change that depends on it. */
  later?: ToldChange | null;
}

export interface SessionStaysIn {
  key: string;
  /** What stays, newest first. */
  changes: ToldChange[];
}

export interface Init {
  dry_run: boolean;
  /** The agents that were set up. */
  agents: string[];
  files: InitFile[];
  notes: string[];
}

export interface InitFile {
  path: string;
  about: string;
  change: string;
  /** The diff, with --dry-run. */
  diff?: string | null;
}

export interface Doctor {
  healthy: boolean;
  version: string;
  checks: Checked[];
  /** Calls per hook, by agent and event. */
  fired: HookCalls[];
}

/** The result of one check. */
export interface Checked {
  verdict: Verdict;
  topic: string;
  text: string;
  /** What to do about it. */
  advice?: string | null;
}

/** The outcome of a check. */
export type Verdict = "ok" | "fixed" | "warning" | "broken";

/** The calls of one hook. */
export interface HookCalls {
  agent: string;
  event: string;
  calls: number;
  errors: number;
  p50_us: number;
  p99_us: number;
  last: string;
}

/** The `--json` report of a change. */
export interface Started {
  key: string;
  revision: string | null;
  created: boolean;
  moved_aside?: string | null;
  absorbed_foreign_edit: boolean;
  findings: Finding[];
  resume: ResumePoint;
  issue?: IssueBranch | null;
}

/** Where to resume, as returned by `getResumePoint`. */
export interface ResumePoint {
  /** The phase that was in progress. */
  phase: string | null;
  /** The summary of the last completed phase. */
  summary: string | null;
}

/** An issue, with the name that its branch has or should have. */
export interface IssueBranch {
  id: IssueId;
  branch: string;
  /** Whether this command creates the branch. */
  created: boolean;
}

/** The id of an issue, in upper case. */
export type IssueId = string;

export interface List {
  checkpoints: Summary[];
  /** What is wrong with what cannot be read, archives too. */
  unreadable: string[];
  /** The checkpoints, archived ones too, that are missing here and that `ckpt recover` can bring back. */
  missing: string[];
}

/** One checkpoint in a list. */
export interface Summary {
  /** Its key. */
  key: string;
  /** Whether it is in flight, complete or abandoned. */
  lifecycle: Lifecycle;
  /** How far along it is. */
  progress: Progress;
  /** The current phase. */
  current_phase: string | null;
  /** The current task. */
  current_task: string | null;
  /** The phases that failed. */
  failed_phases: string[];
  /** When it was last saved, as written in the file. */
  updated_at: string | null;
  /** Set if it was saved at another commit. */
  stale: Staleness | null;
  /** What is known about its named gates. */
  gates: GateProof[];
  /** Whether it may ship, as `gate check` says; none if nobody has approved, blocked or overridden it. */
  ship?: Verdict2 | null;
  /** For a plan, the branch that has it, if it is not on the one that is checked out. */
  dormant_on?: string | null;
  /** A problem with the checkpoint that may make the rest of this summary out of date. */
  trouble: string | null;
}

/** Whether there is work left. */
export type Lifecycle = "in_flight" | "complete" | "abandoned";

/** Parts done and parts in total: the phases of a command, the tasks of a plan. */
export interface Progress {
  /** Done or deliberately skipped. */
  done: number;
  /** All known parts. */
  total: number;
}

/** A checkpoint was saved at a commit other than HEAD. */
export interface Staleness {
  /** HEAD when it was saved. */
  saved: string;
  /** HEAD now. */
  current: string;
}

/** A gate and what is known about it. */
export interface GateProof {
  /** The gate; in a pipeline with its workstream, as in `lint (WS1)`. */
  gate: string;
  /** What is known about it. */
  proof: Proof;
}

/** What is known about a gate, from best to worst. */
export type Proof = "proven" | "not_checked" | "claimed" | "claimed_elsewhere" | "older_content" | "tolerated" | "missing" | "running" | "interrupted" | "failed";

/** A gate judged against the current content. */
export type Verdict2 = {
  verdict: "allowed";
  /** Who approved it: `person`, or the name of an agent. */
  approved_by?: string | null;
} | {
  verdict: "overridden";
  /** Why it was overridden. */
  reason: string;
  /** Who overrode it. */
  by: string;
  /** Who gave the override: `person`, or the name of an agent. */
  approved_by?: string | null;
  /** The reasons for the block. */
  reasons: string[];
} | {
  verdict: "blocked";
  /** The reasons; at least one. */
  reasons: string[];
} | {
  verdict: "not_checked";
};

export interface Shown {
  key: string | null;
  /** Its file, or the archive that it is in. */
  path: string;
  /** Set if it was deleted. This is what it was then. */
  deleted?: DeletedCheckpoint | null;
  /** Set if it is archived. */
  archived?: ArchivedCheckpoint | null;
  revision: string | null;
  stale: Staleness | null;
  gates: GateProof[];
  ship?: Verdict2 | null;
  findings: Finding[];
  document: unknown;
}

/** A checkpoint that is read although it was deleted. */
export interface DeletedCheckpoint {
  /** The name that means this one alone. */
  name: string;
  /** When it was deleted. */
  at: string;
  /** Its name now, if it was renamed. */
  renamed_to?: string | null;
}

/** A checkpoint that is read in the archive. */
export interface ArchivedCheckpoint {
  /** When it was archived. */
  at: string;
}

export interface Status {
  worktrees: Worktree[];
}

export interface Worktree {
  root: string;
  current: boolean;
  branch: string | null;
  checkpoints: Summary[];
  unreadable: string[];
}

/** Everything worth knowing about a work tree, with one checkpoint in focus. */
export interface Resumed {
  /** The checkpoint in focus. */
  focus: Headline | null;
  /** The facts, hazards first. */
  facts: Fact[];
  in_flight: Summary[];
  drift?: DriftNote | null;
  text: string;
  tokens: number;
  shortened: boolean;
  resume?: Outlook;
  /** What was healed first. */
  healed?: Healed[];
  /** The command that starts it, or starts it again. Absent if it was renamed, or is in another worktree. */
  start?: string | null;
}

/** A checkpoint among the facts. */
export interface Headline {
  /** Its key. */
  key: string;
  /** Its title. */
  title?: string | null;
  /** What its progress counts. */
  unit: Unit;
  /** Whether it is in flight, complete or abandoned. */
  lifecycle: Lifecycle;
  /** How far along it is. */
  progress: Progress;
}

/** What the progress of a checkpoint counts. */
export type Unit = "phases" | "tasks" | "workstreams";

/** One thing worth knowing about the work. */
export type Fact = {
  /** The checkpoint it is about; `None` if it is about the work tree. */
  key: string | null;
  /** The tasks, phases, workstreams, gates or sessions it is about. */
  ids: string[];
  /** Where it was found. */
  source: Source;
  /** When it happened, as written. */
  at?: string | null;
  /** The fact in a sentence or two. */
  text: string;
  /** The same in fewer words. */
  short?: string | null;
  /** What belongs to it, a line each. */
  details?: string[];
  /** The command that records the step, or shows more. */
  command?: string | null;
} & ({
  kind: "hazard";
  /** Which kind of hazard. */
  hazard: Hazard;
  /** What ends it. */
  ends: string;
} | {
  kind: "next";
} | {
  kind: "not_now";
} | {
  kind: "done";
} | {
  kind: "decided";
} | {
  kind: "noted";
} | {
  kind: "open";
} | {
  kind: "missing";
} | {
  kind: "elsewhere";
});

/** The kinds of hazard. */
export type Hazard = "git_unfinished" | "other_branch" | "plan_unusable" | "newer_format" | "session_died" | "sub_agent_died" | "stopped" | "user_said" | "warned" | "blocked" | "failed" | "uncommitted" | "old_content" | "not_in_git" | "stashed" | "foreign_commits" | "name_gone" | "reopened" | "vanished" | "done_elsewhere" | "unticked" | "no_id" | "repeated_id" | "gate_void" | "gate_unchecked" | "gate_blocked" | "gate_failed" | "gate_older" | "gate_unsteady" | "gate_missing" | "gate_claimed" | "gate_overridden" | "gate_running" | "paused" | "spec_changed" | "renamed" | "deferred";

/** Where a fact was found. */
export type Source = "checkpoint" | "history" | "session" | "git";

/** What has changed since a checkpoint was saved. */
export interface DriftNote {
  /** The number of commits since; `None` if git no longer knows the saved commit. */
  commits: number | null;
  /** The number of commits no longer in HEAD, after a rewrite or a switch of branches. */
  left_behind: number;
  /** Files named by the checkpoint that have changed. */
  changed_files: string[];
}

/** Where a command was. */
export type Outlook = "fresh" | "resumed" | "stale" | "complete";

/** A checkpoint that was healed. */
export interface Healed {
  key: string;
  what: Healing;
  /** The same in words. */
  text: string;
}

/** What was done to heal a checkpoint. */
export type Healing = "brought_back" | "restored" | "rewritten" | "settled" | "absorbed";

/** Hazards that somebody has acknowledged. */
export interface Acknowledged {
  /** The checkpoint. */
  key: string;
  /** What they were about. */
  ids: string[];
  /** The hazards, in words. */
  hazards: string[];
}

export interface Log {
  /** The checkpoint, if one was asked for. */
  key: string | null;
  /** Set if that one was deleted. */
  deleted?: DeletedCheckpoint | null;
  /** The lines of the histories, each with the name of its checkpoint as `checkpoint` and, if that is in another worktree, the name of it as `worktree`. One without our seal, which anybody can have written, has `"sealed": false`. */
  entries: unknown[];
  /** The lines that cannot be read, as far back as the histories were read. */
  damaged?: Unreadable[];
  /** What is wrong with the archives that do not even say what they hold. */
  unreadable?: string[];
}

/** Lines of a history that cannot be read. */
export interface Unreadable {
  checkpoint: string;
  /** The name of its worktree, if that is another one. */
  worktree?: string | null;
  /** The history, or the archive that holds it. */
  file: string;
  /** The numbers of the lines, from 1. */
  lines: number[];
}

export interface Differences {
  key: string;
  /** Set if it was deleted. */
  deleted?: DeletedCheckpoint | null;
  /** The older side. */
  a: string;
  /** The newer side. */
  b: string;
  differences: Difference[];
  /** The RFC 6902 patch that leads from A to B; of a plan, for its state. */
  patch: unknown;
}

export interface Difference {
  /** What differs, in words. */
  what: string;
  /** Where it is, as a JSON pointer. Texts and titles of a plan are in its Markdown; its other lines have an empty pointer. */
  pointer: string;
  before?: unknown;
  after?: unknown;
}

export interface Recovered {
  /** The checkpoints that were brought back. */
  brought_back: Returned[];
}

/** A checkpoint that was brought back. */
export interface Returned {
  key: string;
  /** The revision that it has again: the last one that can be rebuilt from the copy. */
  revision: string | null;
  /** When that was made. */
  at: string | null;
  /** The files that were missing. */
  files: string[];
  /** Whether the history was missing too. */
  history: boolean;
  /** The damaged lines of the copy of its history, by number; absent if there are none. */
  damaged_lines?: number[];
  /** Whether its archive is back, rather than the checkpoint itself. */
  archived: boolean;
  /** The worktree that it was in, if that is gone. */
  worktree?: string | null;
}

export interface Archived {
  /** What was moved, or what is in the archive. */
  archived: ArchiveEntry[];
  /** Where the archive is kept that was damaged when it was deleted. */
  kept_damaged?: string | null;
  /** What is wrong with the archives that do not even say what they hold. */
  unreadable?: string[];
}

/** A checkpoint in the archive. */
export interface ArchiveEntry {
  key: string;
  /** The name that means this one alone: the key, and for one that was deleted the time too. */
  name: string;
  /** When it was archived or deleted. */
  at: string;
  lifecycle: Lifecycle;
  deleted: boolean;
  /** The archive. */
  file: string;
}

/** What `--dry-run` shows. */
export interface ArchivePlanned {
  /** The checkpoints that would be archived. */
  would_archive: string[];
}

export interface Unarchived {
  key: string;
  /** The revision that it has again. */
  revision: string | null;
}

export interface Forked {
  key: string;
  /** The checkpoint that it came from. */
  from: string;
  /** The revision that it came from. */
  from_revision: string | null;
  /** Its own revision. */
  revision: string | null;
}

export interface Renamed {
  key: string;
  /** The checkpoint that it came from. */
  from: string;
  /** The revision that it came from. */
  from_revision: string | null;
  /** Its own revision. */
  revision: string | null;
  /** The archive of the old one. */
  file: string;
}

export interface Collected {
  dry_run: boolean;
  /** The checkpoints that were archived. */
  archived: string[];
  /** What was deleted before, and is removed for good. */
  removed: ArchiveEntry[];
  /** The copies in the git directory that were removed: what was deleted before, and has no archive here any more. */
  copies: RemovedCopy[];
  /** What would have been removed, but for a follower who has not been told yet. */
  awaited: Awaited[];
  /** The temporary files that were removed. */
  swept: string[];
}

/** The copy of a deleted checkpoint. */
export interface RemovedCopy {
  key: string;
  /** When it was deleted. */
  at: string;
  /** The worktree that it was in, if that is gone. */
  worktree?: string | null;
}

/** A deleted checkpoint that is kept for a follower. */
export interface Awaited {
  key: string;
  /** Who waits for it. Absent if that cannot be told now. */
  follower?: string | null;
  /** Why it cannot be told whether somebody waits for it. */
  error?: string | null;
}

export interface Followers {
  followers: Follower[];
}

/** A follower, and how it stands. */
export interface Follower {
  name: string;
  /** The file that it appends to. */
  file?: string | null;
  /** Whether it is a service that `ckpt notify` shows. */
  service: boolean;
  /** The parts of the names of events that it wants; all if empty. */
  events: string[];
  /** The checkpoints that it wants; all if empty. */
  checkpoints: string[];
  /** How many lines it has not been told, in all worktrees. */
  behind: number;
  /** In how many checkpoints. */
  behind_in: number;
  /** The other worktrees that have some of these lines. A process there tells them. */
  elsewhere?: BehindElsewhere[];
  /** When lines were handed over last. */
  told_at?: string | null;
  /** Why it could not be told. */
  error?: string | null;
  /** When that was. */
  failed_at?: string | null;
  /** Whether it has not been served for so long that nothing is kept for it. */
  silent: boolean;
}

/** Lines of another worktree. */
export interface BehindElsewhere {
  /** The directory of the worktree. */
  worktree: string;
  /** How many lines of it the follower has not been told. */
  behind: number;
}

export interface FollowerRun {
  /** How many lines were handed over. */
  lines: number;
  /** The lines, each with its `checkpoint` and `worktree`. Absent if the follower is told elsewhere. */
  told?: unknown[] | null;
  /** Why something could not be read, if so. Everything else was handed over. */
  left_out?: string | null;
}

export interface Notify {
  /** Whether there is a file that names any. */
  configured: boolean;
  destinations: Destination[];
  /** What is wrong with the file. */
  findings: Finding[];
}

/** A webhook or a service, and how it stands. */
export interface Destination {
  name: string;
  /** The address, or where it is kept; the name of a service. */
  url: string;
  /** Where the secret is kept. */
  secret?: string | null;
  /** The parts of the names of events that are told. */
  events: string[];
  standing: Permission;
  /** How many messages wait. */
  behind?: number | null;
  /** When a message was taken last. */
  told_at?: string | null;
  /** Why the last message was not taken. */
  error?: string | null;
  /** When it is tried again. */
  next_try?: string | null;
  /** Whether nothing is tried until you ask for it. */
  stopped: boolean;
  /** How many messages were given up, in all worktrees. */
  given_up: number;
}

/** What the user has said about it. */
export type Permission = "allowed" | "changed" | "not_allowed";

export interface NotifyTested {
  name: string;
  milliseconds: number;
}

export interface NotifyRetried {
  /** How many messages were sent that had been given up. */
  given_up: number;
  /** How many others were sent. */
  waiting: number;
}

export interface NotifyLog {
  /** Newest first. */
  attempts: NotifyLogEntry[];
}

/** One try to deliver a message. */
export interface NotifyLogEntry {
  /** The webhook or service. */
  to: string;
  /** When it was. */
  at: string;
  /** The id of the message. */
  id: string;
  /** What the message is about. */
  checkpoint: string;
  /** The event. */
  event: string;
  /** How it ended. */
  outcome: Outcome;
  /** The status of the answer. */
  status?: number | null;
  /** Why it failed. */
  reason?: string | null;
  /** How long it took. */
  milliseconds: number;
}

/** How a try ended. */
export type Outcome = "delivered" | "failed";

export interface Validated {
  valid: boolean;
  documents: JudgedDocument[];
}

export interface JudgedDocument {
  target: string;
  path: string | null;
  valid: boolean;
  findings: Finding[];
  unreadable?: string | null;
}

export interface TokensCounted {
  counter: Counter;
  counts: CountedText[];
}

/** What counts as a token. */
export type Counter = "words" | "o200k" | "cl100k" | "claude";

/** The result of [`validate`]. */
export interface CountedText {
  file: string | null;
  tokens: number;
  /** Whether it is within the limit. */
  valid?: boolean;
  /** How many tokens it has. */
  tokenCount?: number;
  /** The limit. */
  limit?: number;
  /** What is wrong, if it is not valid. */
  error?: string | null;
}

/** A text that fits a limit, shortened if necessary. */
export interface TextFitted {
  counter: Counter;
  limit: number;
  /** The remaining text. */
  text: string;
  /** The number of tokens in it. */
  tokens: number;
  /** What was cut, if anything. */
  cut: Cut | null;
}

/** What was cut from a text. */
export interface Cut {
  /** The text that was cut. */
  text: string;
  /** How many sentences, list items and blocks were cut, counting one that was cut in part. */
  units: number;
  /** Even the first sentence does not fit, so it was cut after a word. */
  inside_sentence: boolean;
}

/** A gate judged against the current content. */
export type GateChecked = {
  key: string;
  override?: Override | null;
  content: string | null;
  gates: GateProof[];
} & ({
  verdict: "allowed";
  /** Who approved it: `person`, or the name of an agent. */
  approved_by?: string | null;
} | {
  verdict: "overridden";
  /** Why it was overridden. */
  reason: string;
  /** Who overrode it. */
  by: string;
  /** Who gave the override: `person`, or the name of an agent. */
  approved_by?: string | null;
  /** The reasons for the block. */
  reasons: string[];
} | {
  verdict: "blocked";
  /** The reasons; at least one. */
  reasons: string[];
} | {
  verdict: "not_checked";
});

/** A decision to override a blocked gate for certain content. */
export interface Override {
  /** The reason. */
  reason: string;
  /** Who made it. */
  by: string;
  /** Who gave it: `person`, or the name of an agent. */
  approved_by?: string | null;
  /** When it was made, as written. */
  at: string | null;
  /** Whether it counts. */
  applies: boolean;
  /** Why it does not count. */
  flaw?: Flaw | null;
}

/** Why an override does not count. */
export type Flaw = "claimed_elsewhere" | "not_by_a_person" | "other_content";

export interface ShipChecked {
  key: string;
  /** Whether nothing is unmet. */
  ready: boolean;
  needs: Need[];
}

/** Something that shipping needs. */
export interface Need {
  /** What it is. */
  about: string;
  /** Whether it is met. */
  standing: NeedStanding;
  /** How it stands, in words. */
  text: string;
  /** The command that settles it. */
  command?: string | null;
}

/** Whether a need is met. */
export type NeedStanding = "met" | "advised" | "unmet";

export interface ShipText {
  key: string;
  title: string;
  /** In Markdown. */
  body: string;
  /** The branch that is checked out. */
  branch: string | null;
  /** The issue that is recorded. */
  issue: IssueId | null;
}

export interface Previewed {
  key: string;
  /** Why no preview was waited for. */
  not_waited?: string | null;
  /** How it ended. */
  preview?: Waited | null;
}

/** A preview that was waited for. */
export interface Waited {
  state: PreviewState;
  /** What happened, in words. */
  ending: string;
  commit: CommitId;
  provider: string;
  required: boolean;
  url?: string | null;
  page?: string | null;
  duration_ms: number;
}

/** How the wait for a preview ended. */
export type PreviewState = "ready" | "failed" | "rejected" | "canceled" | "superseded" | "not_found" | "timed_out";

/** A full commit id: 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits. */
export type CommitId = string;

/** The `--json` report on a push. */
export interface PushJudged {
  allowed: boolean;
  blocked: PushBlocked[];
}

/** A gate that blocks a pushed ref. */
export interface PushBlocked {
  /** The pushed ref, as git names it. */
  pushed: string;
  commit: string;
  /** The checkpoint whose gate blocks. */
  gate: string;
  reasons: string[];
}

export interface GateRan {
  gate: string;
  passed: boolean;
  ending: string;
  duration_ms: number;
  output_bytes: number;
  changed_files: boolean;
}

export interface GatesChecked {
  pipeline: string;
  passes: boolean;
  gates: GateStanding[];
}

/** What is known about a required gate. */
export interface GateStanding {
  /** The gate. */
  gate: string;
  /** The workstreams it concerns; empty for the pipeline as a whole. */
  workstreams: string[];
  /** What is known about it. */
  proof: Proof;
}

export interface PipelineInitialized {
  key: string;
  created: boolean;
  revision: string | null;
  findings: Finding[];
}

export interface PipelineNext {
  pipeline: string;
  status: string;
  ready: string[];
  running: string[];
  waiting: WaitingWorkstream[];
}

export interface WaitingWorkstream {
  workstream: string;
  waits_for: string[];
}

export interface PipelineResumed {
  pipeline: string;
  status: string;
  phase: number | null;
  completed: string[];
  pending: string[];
  interrupted: string[];
  spec_moved: boolean;
  text: string;
}

export interface PipelineGraph {
  pipeline: string;
  graph: string;
}

export interface PlanChange {
  plan: string;
  revision: string | null;
  events: unknown[];
  state: unknown;
  untracked: number;
  /** What the state was restored from, if its file could not be read. */
  restored_from: string | null;
  /** How many done tasks were imported from an old progress file. */
  imported: number | null;
  /** `local` if other worktrees may claim the same tasks all the same. */
  scope?: string | null;
  /** The claimed tasks that are done in another worktree. */
  done_elsewhere?: TaskDoneElsewhere[];
}

export interface TaskDoneElsewhere {
  task: string;
  /** The worktree, relative to this one where possible. */
  worktree: string;
  branch: string | null;
}

export interface PlanMerge {
  path: string;
  /** How many conflicts are left; null if git could not merge the file at all. */
  conflicts: number | null;
  merged_by: MergedBy;
}

/** Whose merge was used. */
export type MergedBy = "ckpt" | "git";

export interface PlanShown {
  plan: string;
  state: unknown;
  /** Whether the Markdown has changed since the state was written. */
  moved: boolean;
  trouble: string | null;
  /** The branch that has the plan, if it is not on the one that is checked out. */
  dormant_on?: string | null;
  untracked: number;
}

export interface PlanList {
  /** The plan that is used when none is named. */
  current: string | null;
  plans: Summary[];
  unreadable: string[];
}

export interface PlanNext {
  plan: string;
  next: NextTask[];
  /** How many open tasks others have claimed. */
  claimed_by_others: number;
  /** The open tasks that are claimed in other worktrees. */
  claimed_elsewhere: TaskClaimedElsewhere[];
  /** The open tasks that cannot go on. */
  blocked: BlockedTask[];
  /** The criteria that are not met, in phases whose tasks are all done. */
  criteria: OpenCriterion[];
}

export interface NextTask {
  phase: string;
  task: string;
  text: string;
  file: string | null;
  line: number;
  /** Whose claim on it lapsed. */
  lapsed_from?: string | null;
  /** The other worktree in which it is done. */
  done_in?: string | null;
}

export interface TaskClaimedElsewhere {
  task: string;
  by: string;
  /** The worktree, relative to this one where possible. */
  worktree: string;
  /** When the claim lapses, unless its owner is heard from again. */
  until: string;
}

export interface BlockedTask {
  phase: string;
  task: string;
  text: string;
  /** What keeps it from going on. */
  blocker: string;
}

export interface OpenCriterion {
  phase: string;
  criterion: string;
  text: string;
  file: string | null;
  line: number;
}

export interface ChosenPlan {
  plan: string | null;
}

export interface PlanDiff {
  plan: string;
  diff: string;
}

export interface Settings {
  settings: Setting[];
}

export interface Setting {
  name: string;
  value: unknown;
  source: SettingSource;
  about: string;
}

/** Where a value comes from. */
export type SettingSource = "environment" | "project" | "user" | "default";

/** What was set, and where. */
export interface SettingWritten {
  name: string;
  file: string;
}

/** The `--json` report: where the demo ran. */
export interface DemoMade {
  folder: string;
}

export interface HandoffChecked {
  kind: Kind;
  valid: boolean;
  block: HandoffPlace;
  findings: Finding[];
}

/** The kind of a handoff. */
export type Kind = "request" | "response";

/** Where in the text the handoff was found. */
export interface HandoffPlace {
  first_line: number;
  last_line: number;
  /** Whether the text contains nothing else. */
  whole: boolean;
}

export interface HandoffFixed {
  changed: boolean;
  text: string;
}

export interface HandoffRecorded {
  key: string;
  task: string;
  decision: Decision;
  revision: string | null;
  blockers: string[];
}

/** What to do now. */
export type Decision = "PROCEED" | "STOP" | "CLARIFY";

export interface RequestMade {
  request: unknown;
}

export interface ProtocolPrinted {
  text: string;
}

export interface SchemaPrinted {
  text: string;
}

export interface ProtocolWritten {
  path: string;
  created: boolean;
  changes: string[];
}

/** The `--json` report of a failure. */
export interface Failed {
  error: ReportedError;
}

export interface ReportedError {
  kind: string;
  /** The exit code. */
  exit: number;
  message: string;
  hint: string | null;
}

/** A checkpoint that a change has brought back from its copy before it was made. */
export interface RecoveredFirst {
  key: string;
  /** The revision that it has again: the last one that the copy has. */
  revision: string;
  /** When that was made. */
  at: string | null;
  /** The files that were missing. */
  files: string[];
  /** Whether its history was missing or damaged. */
  history: boolean;
}
