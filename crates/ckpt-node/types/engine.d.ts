// Made by scripts/types.cjs from what the engine says of its commands.
import type { Output } from "./output";

/** What a command prints with --json. */
type Report<Name extends keyof Output> = Output[Name] & { format: 1 };

/** Every command of the engine. */
export interface Commands {
  command: {
    /** Start the checkpoint of a command. */
    start(command: string, feature?: string | null, options?: {
        /** The phases, in order. */
        phases?: string | number | (string | number)[];
        /** Start over although it is complete; the old one stays in the history. */
        again?: boolean;
      }): Report<"start">;
    /** Record what a phase is doing. */
    phase(key: string, phase: string, status?: "pending" | "in_progress" | "complete" | "failed" | "skipped" | null, options?: {
        /** What the next context should know; - reads standard input. */
        summary?: string | number;
        /** Read the summary from a file. */
        summaryFile?: string | number;
        /** A file that the phase created (repeatable). */
        created?: string | number | (string | number)[];
        /** A file that the phase modified (repeatable). */
        modified?: string | number | (string | number)[];
        /** Why it failed. */
        error?: string | number;
        /** The task being worked on. */
        task?: string | number;
        /** More members to merge into the phase, as a JSON object. */
        data?: string | object;
      }): Report<"phase" | "phase" | "phase">;
    /** Mark a checkpoint as complete. */
    complete(key: string): Report<"complete">;
    /** Give a checkpoint up, with a reason. */
    abandon(key: string, options: {
        /** Why. */
        reason: string | number;
      }): Report<"abandon">;
    /** Save a whole document from standard input. */
    save(key: string, document: string | object, options?: {
        /** The revision that the document was loaded at, such as 7. */
        base?: string | number;
      }): Report<"save">;
    /** Show one checkpoint, or any checkpoint file. */
    show(target?: string | null): Report<"show">;
  };
  plan: {
    /** Make a plan from a title, or from a Markdown file. */
    "new"(title: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take the text of this file. */
        from?: string | number;
      }): Report<"plan new">;
    /** Choose the plan that is meant when none is named. */
    use(id?: string | null, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take the choice back. */
        none?: boolean;
      }): Report<"plan use">;
    /** Give ids to checkboxes and phase headings that have none. */
    mark(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Print what would change as a diff, and change nothing. */
        dryRun?: boolean;
      }): Report<"plan mark" | "plan mark --dry-run">;
    /** Show phases and tasks. */
    show(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan show">;
    /** Show the next tasks that are not done. */
    next(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** How many. */
        number?: string | number;
      }): Report<"plan next">;
    /** Tick tasks. */
    done(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan done">;
    /** Untick tasks. */
    undo(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan undo">;
    /** Tick acceptance criteria. */
    accept(criteria: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan accept">;
    /** Untick acceptance criteria. */
    unaccept(criteria: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan unaccept">;
    /** Record a decision, at the end of the phase it concerns. */
    decide(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Why. */
        reason?: string | number;
        /** The phase it concerns; the one under way when left off. */
        phase?: string | number;
      }): Report<"plan decide">;
    /** Write down what stands in the way, at the end of the phase it concerns. */
    block(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** The phase it concerns; the one under way when left off. */
        phase?: string | number;
      }): Report<"plan block">;
    /** Take a blocker away. */
    unblock(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan unblock">;
    /** Add a line to the session notes. */
    note(text?: string | null, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Write it in place of all there is. */
        replace?: boolean;
        /** Remove the notes. */
        clear?: boolean;
      }): Report<"plan note">;
    /** Take tasks over, so that others leave them alone. */
    claim(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan claim">;
    /** Give claims up. */
    release(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan release">;
    /** Take over what was changed in the Markdown. */
    sync(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan sync">;
    /** Bring back what was lost: the state, and a plan.md that is gone or empty. */
    recover(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Report<"plan recover">;
    /** Judge the plan and its state. */
    validate(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take warnings for errors. */
        strict?: boolean;
      }): Report<"plan validate">;
  };
  pipeline: {
    /** Make the checkpoint of a specification. */
    init(spec: string): Report<"pipeline init">;
    /** Start workstreams. */
    start(id: string, workstreams: string | string[], options?: {
        /** Even when they wait for others. */
        anyway?: boolean;
      }): Report<"pipeline start">;
    /** Complete a workstream. */
    done(id: string, workstream: string, options?: {
        /** A file that it made; may be repeated. */
        artifact?: string | number | (string | number)[];
      }): Report<"pipeline done">;
    /** Let a workstream fail; what runs beside it is interrupted. */
    fail(id: string, workstream: string, options: {
        /** What went wrong. */
        message: string | number;
        /** In which file. */
        file?: string | number;
        /** On which line. */
        line?: string | number;
      }): Report<"pipeline fail">;
    /** Take up after a failure. */
    fixed(id: string): Report<"pipeline fixed">;
    /** Put a workstream off. */
    defer(id: string, workstream: string, options: {
        /** Why. */
        reason: string | number;
      }): Report<"pipeline defer">;
    gate: {
      /** Run a gate's command from the specification, and keep a receipt. */
      run(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
          /** End it after so many seconds. */
          timeout?: string | number;
        }): Report<"pipeline gate run">;
      /** Exit with 0 when every required gate was run on the present content and passed, else with 6. */
      check(id?: string | null, options?: {
          /** Take somebody's word for a proof. */
          allowClaims?: boolean;
        }): Report<"pipeline gate check">;
      /** Say that a gate passed; recorded as a claim, because nothing was run. */
      pass(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
        }): Report<"pipeline gate pass">;
      /** Say that a gate failed, and with it the pipeline. */
      fail(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
          /** What went wrong. */
          message?: string | number;
        }): Report<"pipeline gate fail">;
    };
    /** Note that somebody let it continue after a gate. */
    approve(id: string): Report<"pipeline approve">;
    /** Record the adversarial review. */
    review(id: string | null | undefined, verdict: string, options?: {
        /** How many findings of the worst kind. */
        p0?: string | number;
        /** How many findings of the next kind. */
        p1?: string | number;
        /** Where the findings are. */
        findings?: string | number;
        /** Why it is overridden. */
        reason?: string | number;
      }): Report<"pipeline review">;
    /** Keep something about the run. */
    note(id: string, options?: {
        /** A fix that the linter asked for, as FILE: CHANGE. */
        eslintFix?: string | number | (string | number)[];
        /** A fix that mattered, as FILE: CHANGE. */
        keyFix?: string | number | (string | number)[];
        /** Something that was tidied up. */
        cleanup?: string | number | (string | number)[];
      }): Report<"pipeline note">;
    /** Show what can start now. */
    next(id?: string | null): Report<"pipeline next">;
    /** Show phases, workstreams and gates. */
    show(id?: string | null): Report<"pipeline show">;
    /** Print the graph of the workstreams, for Graphviz or for Mermaid. */
    graph(id?: string | null, options?: {
        /** In the language of Graphviz (the default). */
        dot?: boolean;
        /** In the language of Mermaid. */
        mermaid?: boolean;
      }): Report<"pipeline graph">;
    /** Take over what changed in the specification. */
    sync(id: string): Report<"pipeline sync">;
    /** Say where to go on. */
    resume(id?: string | null, options?: {
        /** What failed is fixed. */
        fixed?: boolean;
        /** Start again what was in progress. */
        restart?: boolean;
        /** Go on with what was in progress. */
        continue?: boolean;
      }): Report<"pipeline resume">;
    /** Finish a pipeline that has nothing left to do. */
    complete(id: string): Report<"pipeline complete">;
    /** Take a finished pipeline up again. */
    reopen(id: string): Report<"pipeline reopen">;
    /** Give a pipeline up. */
    abort(id: string, options: {
        /** Why. */
        reason: string | number;
      }): Report<"pipeline abort">;
    /** Judge a pipeline and its specification. */
    validate(id?: string | null, options?: {
        /** Take warnings for errors. */
        strict?: boolean;
      }): Report<"pipeline validate">;
  };
  handoff: {
    /** Judge a request or a response by the rules of the protocol. */
    check(handoff: string | object, options?: {
        /** Which of the two it is; told by its members when left off. */
        kind?: "request" | "response";
        /** Take every warning for an error. */
        strict?: boolean;
        /** Take a response's summary that is too long for an error. */
        enforce?: boolean;
      }): Report<"handoff check">;
    /** Print a new request. */
    "new"(options: {
        /** The id of the task. */
        task: string | number;
        /** What kind of step it is. */
        phase: "research" | "write" | "validate" | "parallel";
        /** What the sub-agent is a specialist for. */
        mode: "plan" | "code" | "ui" | "docs" | "eval" | "reconcile" | "research";
        /** What it is about; with --from, the feature of the checkpoint when left off. */
        feature?: string | number;
        /** What to do. */
        instructions: string | number;
        /** Where the specification is. */
        spec?: string | number;
        /** A file that matters; may be repeated. */
        file?: string | number | (string | number)[];
        /** What must be kept to; may be repeated. */
        constraint?: string | number | (string | number)[];
        /** What the step before came to; standard input for -. */
        summary?: string | number;
        /** What is expected in return; what is usual for the phase when left off. */
        expect?: "structured_findings" | "files_changed" | "validation_result" | "aggregated_results";
        /** The checkpoint to hand on from. */
        from?: string | number;
      }): Report<"handoff new">;
    /** Give `previous_findings` its present name, and change nothing else. */
    fix(handoff: string | object, options?: {
        /** Change the file instead of printing the result. */
        write?: boolean;
      }): Report<"handoff fix">;
    /** Record a response on a checkpoint. */
    reply(key: string, handoff: string | object, options?: {
        /** The phase of the checkpoint; the current one when left off, else that of the response. */
        phase?: string | number;
        /** The phase is complete with it. */
        complete?: boolean;
      }): Report<"handoff reply">;
    /** Print the protocol as a document, or bring one up to date. */
    doc(options?: {
        /** Make or extend this file. */
        write?: string | number;
      }): Report<"handoff doc" | "handoff doc --write">;
  };
  gates: {
    /** Approve the present content, or block with reasons. */
    set(key: string, options?: {
        /** Approve the present content. */
        allow?: boolean;
        /** Block, with this reason (repeatable). */
        block?: string | number | (string | number)[];
      }): Report<"gate set">;
    /** Exit with 0 when shipping is allowed, else with 6. */
    check(key?: string | null): Report<"gate check">;
    /** Let a blocked gate pass for exactly the present content. */
    override(key: string, options: {
        /** Why; it stays visible. */
        reason: string | number;
      }): Report<"gate override">;
    /** Run a command as a gate of any checkpoint, and keep a receipt. */
    run(key: string, name: string, command: string | string[], options?: {
        /** End it after so many seconds. */
        timeout?: string | number;
      }): Report<"gate run">;
    /** Show what the gate says. */
    show(key?: string | null): Report<"gate show">;
  };
  /** Say where the work stands and what is next. */
  resume(key?: string | null, options?: {
      /** Use at most so many tokens, counted high (as the counter claude does). */
      budget?: string | number;
      /** Ask git what changed since the checkpoint was saved. */
      drift?: boolean;
      /** Exit with 7 when HEAD has moved since. */
      failIfStale?: boolean;
    }): Report<"resume" | "resume">;
  /** Show what is in flight, here and in linked worktrees. */
  status(options?: {
      /** Show finished and abandoned ones too. */
      all?: boolean;
    }): Report<"status" | "status" | "status">;
  /** List all checkpoints, one a line: key, state, progress, phase, time of the last save. */
  list(): Report<"list">;
  /** Judge checkpoints by the rules of their format. */
  validate(targets?: string | string[] | null, options?: {
      /** Take warnings for errors. */
      strict?: boolean;
    }): Report<"validate">;
  history: {
    /** Show the history of a checkpoint, the newest first. */
    log(key?: string | null, options?: {
        /** Show at most so many lines. */
        number?: string | number;
      }): Report<"log">;
  };
  /** Count tokens, or shorten a text to so many. */
  tokens(text: string | object, options?: {
      /** What counts as a token. */
      counter?: "words" | "o200k" | "cl100k" | "claude";
      /** The most tokens allowed. */
      limit?: string | number;
      /** Print the text cut to so many tokens, after a sentence or a list item. */
      fit?: string | number;
    }): Report<"tokens" | "tokens --fit" | "tokens" | "tokens" | "tokens">;
  /** Print the schema of a format, or of what --json prints. */
  schema(kind: "command" | "pipeline" | "plan-state" | "history" | "recovery" | "handoff-request" | "handoff-response" | "output", options?: {
      /** How to write it. */
      format?: "json-schema" | "typescript" | "markdown";
    }): Report<"schema">;
  config: {
    /** Show all settings and where each value comes from. */
    list(): Report<"config list">;
    /** Show one value. */
    get(name: string): Report<"config get">;
    /** Change a value in the project's file, or in your own. */
    set(name: string, value: string, options?: {
        /** Change it for yourself, in all projects. */
        user?: boolean;
      }): Report<"config set">;
  };
  /** Run a command as it would be typed, and return the JSON that it prints: every digit of it. */
  call(typed: string[], options?: { input?: string }): string;
}

/** Every command of the engine, carried out on another thread. */
export interface PromisedCommands {
  command: {
    /** Start the checkpoint of a command. */
    start(command: string, feature?: string | null, options?: {
        /** The phases, in order. */
        phases?: string | number | (string | number)[];
        /** Start over although it is complete; the old one stays in the history. */
        again?: boolean;
      }): Promise<Report<"start">>;
    /** Record what a phase is doing. */
    phase(key: string, phase: string, status?: "pending" | "in_progress" | "complete" | "failed" | "skipped" | null, options?: {
        /** What the next context should know; - reads standard input. */
        summary?: string | number;
        /** Read the summary from a file. */
        summaryFile?: string | number;
        /** A file that the phase created (repeatable). */
        created?: string | number | (string | number)[];
        /** A file that the phase modified (repeatable). */
        modified?: string | number | (string | number)[];
        /** Why it failed. */
        error?: string | number;
        /** The task being worked on. */
        task?: string | number;
        /** More members to merge into the phase, as a JSON object. */
        data?: string | object;
      }): Promise<Report<"phase" | "phase" | "phase">>;
    /** Mark a checkpoint as complete. */
    complete(key: string): Promise<Report<"complete">>;
    /** Give a checkpoint up, with a reason. */
    abandon(key: string, options: {
        /** Why. */
        reason: string | number;
      }): Promise<Report<"abandon">>;
    /** Save a whole document from standard input. */
    save(key: string, document: string | object, options?: {
        /** The revision that the document was loaded at, such as 7. */
        base?: string | number;
      }): Promise<Report<"save">>;
    /** Show one checkpoint, or any checkpoint file. */
    show(target?: string | null): Promise<Report<"show">>;
  };
  plan: {
    /** Make a plan from a title, or from a Markdown file. */
    "new"(title: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take the text of this file. */
        from?: string | number;
      }): Promise<Report<"plan new">>;
    /** Choose the plan that is meant when none is named. */
    use(id?: string | null, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take the choice back. */
        none?: boolean;
      }): Promise<Report<"plan use">>;
    /** Give ids to checkboxes and phase headings that have none. */
    mark(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Print what would change as a diff, and change nothing. */
        dryRun?: boolean;
      }): Promise<Report<"plan mark" | "plan mark --dry-run">>;
    /** Show phases and tasks. */
    show(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan show">>;
    /** Show the next tasks that are not done. */
    next(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** How many. */
        number?: string | number;
      }): Promise<Report<"plan next">>;
    /** Tick tasks. */
    done(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan done">>;
    /** Untick tasks. */
    undo(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan undo">>;
    /** Tick acceptance criteria. */
    accept(criteria: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan accept">>;
    /** Untick acceptance criteria. */
    unaccept(criteria: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan unaccept">>;
    /** Record a decision, at the end of the phase it concerns. */
    decide(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Why. */
        reason?: string | number;
        /** The phase it concerns; the one under way when left off. */
        phase?: string | number;
      }): Promise<Report<"plan decide">>;
    /** Write down what stands in the way, at the end of the phase it concerns. */
    block(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** The phase it concerns; the one under way when left off. */
        phase?: string | number;
      }): Promise<Report<"plan block">>;
    /** Take a blocker away. */
    unblock(text: string, options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan unblock">>;
    /** Add a line to the session notes. */
    note(text?: string | null, options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Write it in place of all there is. */
        replace?: boolean;
        /** Remove the notes. */
        clear?: boolean;
      }): Promise<Report<"plan note">>;
    /** Take tasks over, so that others leave them alone. */
    claim(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan claim">>;
    /** Give claims up. */
    release(tasks: string | string[], options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan release">>;
    /** Take over what was changed in the Markdown. */
    sync(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan sync">>;
    /** Bring back what was lost: the state, and a plan.md that is gone or empty. */
    recover(options?: {
        /** The plan, by its id. */
        plan?: string | number;
      }): Promise<Report<"plan recover">>;
    /** Judge the plan and its state. */
    validate(options?: {
        /** The plan, by its id. */
        plan?: string | number;
        /** Take warnings for errors. */
        strict?: boolean;
      }): Promise<Report<"plan validate">>;
  };
  pipeline: {
    /** Make the checkpoint of a specification. */
    init(spec: string): Promise<Report<"pipeline init">>;
    /** Start workstreams. */
    start(id: string, workstreams: string | string[], options?: {
        /** Even when they wait for others. */
        anyway?: boolean;
      }): Promise<Report<"pipeline start">>;
    /** Complete a workstream. */
    done(id: string, workstream: string, options?: {
        /** A file that it made; may be repeated. */
        artifact?: string | number | (string | number)[];
      }): Promise<Report<"pipeline done">>;
    /** Let a workstream fail; what runs beside it is interrupted. */
    fail(id: string, workstream: string, options: {
        /** What went wrong. */
        message: string | number;
        /** In which file. */
        file?: string | number;
        /** On which line. */
        line?: string | number;
      }): Promise<Report<"pipeline fail">>;
    /** Take up after a failure. */
    fixed(id: string): Promise<Report<"pipeline fixed">>;
    /** Put a workstream off. */
    defer(id: string, workstream: string, options: {
        /** Why. */
        reason: string | number;
      }): Promise<Report<"pipeline defer">>;
    gate: {
      /** Run a gate's command from the specification, and keep a receipt. */
      run(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
          /** End it after so many seconds. */
          timeout?: string | number;
        }): Promise<Report<"pipeline gate run">>;
      /** Exit with 0 when every required gate was run on the present content and passed, else with 6. */
      check(id?: string | null, options?: {
          /** Take somebody's word for a proof. */
          allowClaims?: boolean;
        }): Promise<Report<"pipeline gate check">>;
      /** Say that a gate passed; recorded as a claim, because nothing was run. */
      pass(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
        }): Promise<Report<"pipeline gate pass">>;
      /** Say that a gate failed, and with it the pipeline. */
      fail(id: string, gate: string, options?: {
          /** The workstream it is about. */
          for?: string | number;
          /** What went wrong. */
          message?: string | number;
        }): Promise<Report<"pipeline gate fail">>;
    };
    /** Note that somebody let it continue after a gate. */
    approve(id: string): Promise<Report<"pipeline approve">>;
    /** Record the adversarial review. */
    review(id: string | null | undefined, verdict: string, options?: {
        /** How many findings of the worst kind. */
        p0?: string | number;
        /** How many findings of the next kind. */
        p1?: string | number;
        /** Where the findings are. */
        findings?: string | number;
        /** Why it is overridden. */
        reason?: string | number;
      }): Promise<Report<"pipeline review">>;
    /** Keep something about the run. */
    note(id: string, options?: {
        /** A fix that the linter asked for, as FILE: CHANGE. */
        eslintFix?: string | number | (string | number)[];
        /** A fix that mattered, as FILE: CHANGE. */
        keyFix?: string | number | (string | number)[];
        /** Something that was tidied up. */
        cleanup?: string | number | (string | number)[];
      }): Promise<Report<"pipeline note">>;
    /** Show what can start now. */
    next(id?: string | null): Promise<Report<"pipeline next">>;
    /** Show phases, workstreams and gates. */
    show(id?: string | null): Promise<Report<"pipeline show">>;
    /** Print the graph of the workstreams, for Graphviz or for Mermaid. */
    graph(id?: string | null, options?: {
        /** In the language of Graphviz (the default). */
        dot?: boolean;
        /** In the language of Mermaid. */
        mermaid?: boolean;
      }): Promise<Report<"pipeline graph">>;
    /** Take over what changed in the specification. */
    sync(id: string): Promise<Report<"pipeline sync">>;
    /** Say where to go on. */
    resume(id?: string | null, options?: {
        /** What failed is fixed. */
        fixed?: boolean;
        /** Start again what was in progress. */
        restart?: boolean;
        /** Go on with what was in progress. */
        continue?: boolean;
      }): Promise<Report<"pipeline resume">>;
    /** Finish a pipeline that has nothing left to do. */
    complete(id: string): Promise<Report<"pipeline complete">>;
    /** Take a finished pipeline up again. */
    reopen(id: string): Promise<Report<"pipeline reopen">>;
    /** Give a pipeline up. */
    abort(id: string, options: {
        /** Why. */
        reason: string | number;
      }): Promise<Report<"pipeline abort">>;
    /** Judge a pipeline and its specification. */
    validate(id?: string | null, options?: {
        /** Take warnings for errors. */
        strict?: boolean;
      }): Promise<Report<"pipeline validate">>;
  };
  handoff: {
    /** Judge a request or a response by the rules of the protocol. */
    check(handoff: string | object, options?: {
        /** Which of the two it is; told by its members when left off. */
        kind?: "request" | "response";
        /** Take every warning for an error. */
        strict?: boolean;
        /** Take a response's summary that is too long for an error. */
        enforce?: boolean;
      }): Promise<Report<"handoff check">>;
    /** Print a new request. */
    "new"(options: {
        /** The id of the task. */
        task: string | number;
        /** What kind of step it is. */
        phase: "research" | "write" | "validate" | "parallel";
        /** What the sub-agent is a specialist for. */
        mode: "plan" | "code" | "ui" | "docs" | "eval" | "reconcile" | "research";
        /** What it is about; with --from, the feature of the checkpoint when left off. */
        feature?: string | number;
        /** What to do. */
        instructions: string | number;
        /** Where the specification is. */
        spec?: string | number;
        /** A file that matters; may be repeated. */
        file?: string | number | (string | number)[];
        /** What must be kept to; may be repeated. */
        constraint?: string | number | (string | number)[];
        /** What the step before came to; standard input for -. */
        summary?: string | number;
        /** What is expected in return; what is usual for the phase when left off. */
        expect?: "structured_findings" | "files_changed" | "validation_result" | "aggregated_results";
        /** The checkpoint to hand on from. */
        from?: string | number;
      }): Promise<Report<"handoff new">>;
    /** Give `previous_findings` its present name, and change nothing else. */
    fix(handoff: string | object, options?: {
        /** Change the file instead of printing the result. */
        write?: boolean;
      }): Promise<Report<"handoff fix">>;
    /** Record a response on a checkpoint. */
    reply(key: string, handoff: string | object, options?: {
        /** The phase of the checkpoint; the current one when left off, else that of the response. */
        phase?: string | number;
        /** The phase is complete with it. */
        complete?: boolean;
      }): Promise<Report<"handoff reply">>;
    /** Print the protocol as a document, or bring one up to date. */
    doc(options?: {
        /** Make or extend this file. */
        write?: string | number;
      }): Promise<Report<"handoff doc" | "handoff doc --write">>;
  };
  gates: {
    /** Approve the present content, or block with reasons. */
    set(key: string, options?: {
        /** Approve the present content. */
        allow?: boolean;
        /** Block, with this reason (repeatable). */
        block?: string | number | (string | number)[];
      }): Promise<Report<"gate set">>;
    /** Exit with 0 when shipping is allowed, else with 6. */
    check(key?: string | null): Promise<Report<"gate check">>;
    /** Let a blocked gate pass for exactly the present content. */
    override(key: string, options: {
        /** Why; it stays visible. */
        reason: string | number;
      }): Promise<Report<"gate override">>;
    /** Run a command as a gate of any checkpoint, and keep a receipt. */
    run(key: string, name: string, command: string | string[], options?: {
        /** End it after so many seconds. */
        timeout?: string | number;
      }): Promise<Report<"gate run">>;
    /** Show what the gate says. */
    show(key?: string | null): Promise<Report<"gate show">>;
  };
  /** Say where the work stands and what is next. */
  resume(key?: string | null, options?: {
      /** Use at most so many tokens, counted high (as the counter claude does). */
      budget?: string | number;
      /** Ask git what changed since the checkpoint was saved. */
      drift?: boolean;
      /** Exit with 7 when HEAD has moved since. */
      failIfStale?: boolean;
    }): Promise<Report<"resume" | "resume">>;
  /** Show what is in flight, here and in linked worktrees. */
  status(options?: {
      /** Show finished and abandoned ones too. */
      all?: boolean;
    }): Promise<Report<"status" | "status" | "status">>;
  /** List all checkpoints, one a line: key, state, progress, phase, time of the last save. */
  list(): Promise<Report<"list">>;
  /** Judge checkpoints by the rules of their format. */
  validate(targets?: string | string[] | null, options?: {
      /** Take warnings for errors. */
      strict?: boolean;
    }): Promise<Report<"validate">>;
  history: {
    /** Show the history of a checkpoint, the newest first. */
    log(key?: string | null, options?: {
        /** Show at most so many lines. */
        number?: string | number;
      }): Promise<Report<"log">>;
  };
  /** Count tokens, or shorten a text to so many. */
  tokens(text: string | object, options?: {
      /** What counts as a token. */
      counter?: "words" | "o200k" | "cl100k" | "claude";
      /** The most tokens allowed. */
      limit?: string | number;
      /** Print the text cut to so many tokens, after a sentence or a list item. */
      fit?: string | number;
    }): Promise<Report<"tokens" | "tokens --fit" | "tokens" | "tokens" | "tokens">>;
  /** Print the schema of a format, or of what --json prints. */
  schema(kind: "command" | "pipeline" | "plan-state" | "history" | "recovery" | "handoff-request" | "handoff-response" | "output", options?: {
      /** How to write it. */
      format?: "json-schema" | "typescript" | "markdown";
    }): Promise<Report<"schema">>;
  config: {
    /** Show all settings and where each value comes from. */
    list(): Promise<Report<"config list">>;
    /** Show one value. */
    get(name: string): Promise<Report<"config get">>;
    /** Change a value in the project's file, or in your own. */
    set(name: string, value: string, options?: {
        /** Change it for yourself, in all projects. */
        user?: boolean;
      }): Promise<Report<"config set">>;
  };
  /** Run a command as it would be typed, and return the JSON that it prints: every digit of it. */
  call(typed: string[], options?: { input?: string }): Promise<string>;
}

/** A workspace: the state of one repository, or of a directory outside any. */
export interface Workspace extends Commands {
  /** The same on other threads. */
  promises: PromisedCommands;
  /** Where the checkpoints of commands lie. */
  getStateDir(): string;
}
