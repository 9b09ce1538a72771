import type { Bridge } from "@/bridge/bridge";
import type { BrowserHandlers, BrowserStream } from "@/bridge/browser";
import type { Closer, EventHandlers } from "@/bridge/events";
import type { FileContent, FileHandlers } from "@/bridge/file";
import type { Call, Method, Methods } from "@/bridge/methods";
import { CallError } from "@/bridge/problem";
import type { TerminalHandlers, TerminalStream } from "@/bridge/terminal";
import type {
  ApprovalView,
  ChangesView,
  ConnectInput,
  ConnectOutput,
  GoalEvent,
  GoalPlots,
  GoalView,
  GrantView,
  EngineView,
  FileDraft,
  FileProblem,
  LibraryEntry,
  RecipeEntry,
  MemoryNote,
  LoginView,
  PaneInfo,
  Problem,
  PruneInput,
  PaneOverlay,
  ResumeInput,
  SecretView,
  SpendToday,
  GoalRequest,
  TraceView,
  TryOutput,
  Verdict,
  Device,
  Webhook,
  WorktreeView,
  ProtectedState,
  Workspace,
  Workspaces,
} from "@/bridge/types";
import { changes, fileDiff, undo } from "./changes";
import { FakeChats } from "./chats";
import { FakeGoal } from "./goals";
import { outputs, prompt, shopPage } from "./screen";
import { fakeLibrary, fakeRecipes, fillFakeTemplate, inferFakePersona, newFakeEntry } from "./library";
import { fakeMemory, newFakeNote } from "./memory";
import { digestOf } from "./digest";
import { FakeSchedules } from "./schedules";
import { search } from "./search";
import { figures, noFigures } from "./figures";
import { plotsOf, spendPlot } from "./plots";
import { transcript } from "./transcript";
import { worktrees } from "./worktrees";
import { ending, script, type DemoStep, type Body } from "./demoevents";
import { approvals, grants } from "./approvals";
import { colorSchemes, importedScheme, terminalProfiles } from "./colorschemes";
import { recorded, replay } from "./recording";
import { finishedRace, rankFake, runnerDiff, takeFake } from "./race";
import { clickedPage, stepResult } from "./results";
import {
  at,
  blankView,
  browserPane,
  connection,
  connectionTest,
  damagedDatabase,
  findings,
  foundServers,
  presets,
  proposal,
  protectedFiles,
  mcpServers,
  devices,
  notShared,
  sharing,
  webhooks,
  network,
  providers,
  remoteSessions,
  servers,
  settings,
  spendRows,
  suggested,
  staticGoals,
  staticSteps,
  filePane,
  sourceFile,
  terminalPane,
  fixtureTime,
  protection,
} from "./fixtures";

export interface FakeOptions {
  /** Milliseconds of the script per real millisecond; 0 plays it at once. */
  speed?: number;
  /** Also plays the ending. */
  finish?: boolean;
  /** Without goals and panes, as on the first start. */
  empty?: boolean;
}

const settingsPath = `${connection.data_dir}/settings.json`;

export const livelyId = "01m0lively00000000000000z0";

type Handlers = {
  [M in Method]: (...args: Parameters<Methods[M]>) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>;
};

type FakeWorkspaces = Workspaces & { list: Workspace[] };

/** Go in memory: a running goal, some that have stopped, panes that print and draw. For the gallery and for tests. */
/** What a tried check used. */
const triedTrace: TraceView = {
  decides: {
    files: [
      { path: "package.json", why: "the check uses it as its settings (scripts)", by: "node" },
      { path: "test/cart.test.js", why: "the check uses it as its test", by: "node" },
    ],
    total: 2,
  },
  missing: { files: [{ path: "jest.config.js", why: "settings", by: "node" }], total: 212 },
  read: {
    files: [
      { path: "src/cart.js", why: "code", by: "node" },
      { path: "src/price.js", why: "code", by: "node" },
    ],
    total: 2,
  },
  written: { files: [], total: 0 },
  stopped: "./coupon",
  work: ["src/"],
};

export class FakeBridge implements Bridge {
  readonly window = true;
  readonly connection = connection;
  readonly goals = new Map<string, FakeGoal>();
  /** Every call, for tests. */
  readonly calls: { method: Method; args: unknown[] }[] = [];
  /** Refusals for the next call of a method. */
  readonly refusals = new Map<Method, Problem>();
  /** The plots of every goal; `null` makes them from its events. */
  plots: GoalPlots | null = null;
  /** The goal that the page said the user looks at. */
  lookedAt = "";
  panes: PaneInfo[] = [];
  workspaces: FakeWorkspaces = {
    list: [{ id: "w1", name: "Workspace", folder: "", panes: [], goals: [] }],
    active: "w1",
    closing: {},
  };
  layout = "";
  race = structuredClone(finishedRace);
  settings = structuredClone(settings);
  settingsProblems: FileProblem[] = [];
  secrets: SecretView[] = [{ name: "npm-token", place: "keyring", hosts: ["registry.npmjs.org"], added: "" }];
  library: LibraryEntry[] = [...fakeLibrary];
  memory: MemoryNote[] = [...fakeMemory];
  schedules = new FakeSchedules();
  private deletedEntries: LibraryEntry[] = [];
  recipes: RecipeEntry[] = [...fakeRecipes];
  private deletedRecipes: RecipeEntry[] = [];
  engines: EngineView[] = [
    {
      id: "model",
      name: "Goalpost",
      default: true,
      path: "",
      version: "",
      tested: true,
      note: "Goalpost's own loop",
      install: "",
      licence: "",
      credentials: "Asks the goal's model. Its key stays outside the sandbox.",
      login: null,
    },
    {
      id: "opencode",
      name: "OpenCode",
      default: false,
      path: "/home/ada/.local/bin/opencode",
      version: "1.18.33",
      tested: true,
      note: "ready",
      install: "npm install -g opencode-ai@1.18.33",
      licence: "MIT",
      credentials:
        "Asks the goal's model through Goalpost. It needs no key or sign-in of its own, so none is in the sandbox.",
      login: {
        problem: "it has no sign-in on this computer",
        advice: "run `opencode auth login` in a terminal",
        command: "opencode auth login",
        lost: "Goalpost does not count what this agent asks its own provider.",
      },
    },
  ];
  logins: LoginView[] = [{ origin: "https://example.org", user: "ada" }];
  providers = structuredClone(providers);
  /** The results of connection tests. */
  connectionTest = structuredClone(connectionTest);
  mcpServers = structuredClone(mcpServers);
  webhooks = structuredClone(webhooks);
  removedWebhook: Webhook | undefined;
  devices: Device[] = [...devices];
  devicePassword = "";
  /** Why no device can log in, although the settings say so. */
  shareProblem = "";
  /** Today's spending in USD. */
  spent = 7.42;
  findings = structuredClone(findings);
  servers = structuredClone(servers);
  approvals: ApprovalView[] = structuredClone(approvals);
  protection: ProtectedState = protection;
  changes: ChangesView = structuredClone(changes);
  worktrees: WorktreeView[] = structuredClone(worktrees);
  /** The result of trying a check, if a test sets it. */
  tryOutput: TryOutput | null = null;
  /** The folders of the newest goals. */
  recentFolders: string[] = [];
  grants: GrantView[] = structuredClone(grants);
  private overlay: PaneOverlay = {
    cursor: "default",
    zoom: 100,
    fullscreen: false,
    questions: [],
    downloads: [],
    copied: { n: 0, text: "" },
  };
  private rev = 1;
  private now = fixtureTime;
  private made = 0;
  private readonly listeners = new Set<EventHandlers>();
  /** What the shown file holds. */
  fileContent: FileContent = { text: sourceFile, version: "v1", problem: "", readOnly: false, target: "" };
  fileDraft: FileDraft | null = null;
  private readonly fileViewers = new Map<string, FileHandlers>();
  private readonly browsers = new Map<string, Set<BrowserHandlers>>();

  constructor(private readonly options: FakeOptions = {}) {
    if (options.empty) {
      this.approvals = [];
      this.grants = [];
      return;
    }
    for (const view of structuredClone(staticGoals)) this.goals.set(view.id, new FakeGoal(view));
    this.goals.get("01m0running00000000000000a1")?.steps.push(...structuredClone(staticSteps));
    this.panes = [terminalPane("t1", { title: "deploy@edge-1", dir: "/var/log/nginx" })];
    this.lively();
  }

  private spentToday(): SpendToday {
    const resets = new Date();
    resets.setHours(24, 0, 0, 0);
    return { usd: this.spent, limit_usd: this.settings.daily_limit_usd, resets_at: resets.toISOString() };
  }

  private saveConnection(input: ConnectInput): ConnectOutput {
    const test = this.connectionTest;
    if (!test.ok && !input.untested) return { saved: false, id: input.id, place: "", test };
    const others = this.providers.filter((p) => p.id !== input.id);
    this.providers = [
      ...others.map((p) => ({ ...p, active: p.active && !input.use })),
      {
        id: input.id,
        kind: input.kind,
        base_url: input.base_url,
        model: input.model,
        api_key_env: input.key_env,
        api_key_secret: input.key ? `provider-${input.id}` : "",
        context_window: input.context_window,
        active: input.use || others.length === 0,
        scripted: false,
        ready: !input.untested,
        note: input.untested ? "not tested" : "",
        efforts: [],
        preset: input.preset,
        input_price: input.input_price,
        output_price: input.output_price,
        has_price: true,
        tested_at: input.untested ? "" : new Date().toISOString(),
        latency_ms: test.latency_ms,
        models: test.models?.length ?? 0,
      },
    ];
    return { saved: true, id: input.id, place: input.key ? "keyring" : "", test };
  }

  readonly call: Call = async (method, ...args) => {
    this.calls.push({ method, args });
    await Promise.resolve();
    const refusal = this.refusals.get(method);
    if (refusal) {
      this.refusals.delete(method);
      throw new CallError(refusal);
    }
    const answer = await (this.handlers[method] as (...a: unknown[]) => unknown)(...args);
    return structuredClone(answer) as never;
  };

  events(on: EventHandlers) {
    this.listeners.add(on);
    queueMicrotask(() => on.hello());
    return { close: () => void this.listeners.delete(on), looksAt: (goal: string) => void (this.lookedAt = goal) };
  }

  terminal(pane: string, on: TerminalHandlers): TerminalStream {
    const bytes = new TextEncoder();
    let end = 0;
    const say = (text: string) => {
      const data = bytes.encode(text);
      end += data.length;
      on.data(data, end);
    };
    queueMicrotask(() => {
      on.link("open");
      say(outputs[pane] ?? prompt);
    });
    return {
      ack: () => undefined,
      input: (text) => say(text === "\r" ? `\r\n${prompt}` : text),
      inputBytes: () => undefined,
      size: () => undefined,
      keyboard: () => undefined,
      restart: () => say(prompt),
      close: () => undefined,
    };
  }

  file(pane: string, on: FileHandlers): Closer {
    this.fileViewers.set(pane, on);
    queueMicrotask(() => {
      on.link("open");
      on.content(this.fileContent);
    });
    return { close: () => void this.fileViewers.delete(pane) };
  }

  browser(pane: string, on: BrowserHandlers): BrowserStream {
    const all = this.browsers.get(pane) ?? new Set();
    this.browsers.set(pane, all.add(on));
    let n = 0;
    const isAgents = this.panes.some((p) => p.id === pane && p.goal_id !== "" && !p.shared);
    const draw = async (w: number, h: number) => {
      const jpeg = await shopPage(w, h);
      if (jpeg) on.frame({ n: ++n, width: w, height: h, jpeg });
    };
    queueMicrotask(() => {
      on.link("open");
      on.overlay(this.overlay);
    });
    return {
      ack: () => undefined,
      size: (w, h) => void (isAgents ? draw(1280, 800) : draw(w, h)),
      keyboard: () => undefined,
      input: () => undefined,
      visible: () => undefined,
      close: () => void all.delete(on),
    };
  }

  /** Shows questions and downloads over all pages. */
  showOverlay(part: Partial<PaneOverlay>): void {
    this.overlay = { ...this.overlay, ...part };
    for (const all of this.browsers.values()) for (const on of all) on.overlay(this.overlay);
  }

  /** Sends an event of a goal to all listeners, like the broker. */
  say(id: string, body: Body): GoalEvent | undefined {
    const event = this.goals.get(id)?.record(body, this.now);
    if (event) for (const l of this.listeners) l.goal(event);
    return event;
  }

  /** The view with the number of its waiting calls. */
  private withAsks(view: GoalView): GoalView {
    return { ...view, asks: this.approvals.filter((a) => a.goal_id === view.id && a.given === "").length };
  }

  putWorkspaces(part: Partial<FakeWorkspaces>): true {
    this.workspaces = { ...this.workspaces, ...part };
    this.rev++;
    const none = { at: at(0), closed: false, pane: terminalPane("") };
    for (const l of this.listeners) {
      l.pane({ type: "pane", ...none, rev: this.rev, workspaces: this.workspaces });
    }
    return true;
  }

  private putWorkspace(id: string, part: Partial<Workspace>): true {
    return this.putWorkspaces({ list: this.workspaces.list.map((w) => (w.id === id ? { ...w, ...part } : w)) });
  }

  putPane(pane: PaneInfo, closed = false): PaneInfo {
    const others = this.panes.filter((p) => p.id !== pane.id);
    this.panes = closed ? others : [...others, pane];
    this.rev++;
    for (const l of this.listeners) l.pane({ type: "pane", at: at(0), rev: this.rev, pane, closed });
    return pane;
  }

  /** Reports a lost socket to every listener, and reconnects immediately. */
  drop(): void {
    for (const l of this.listeners) {
      l.down(1006);
      l.hello();
    }
  }

  private lively() {
    const goal = new FakeGoal({
      ...structuredClone(blankView),
      id: livelyId,
      objective: "Publish the page and make check-out work",
      checks: 2,
      check_states: ["curl -sf http://127.0.0.1:8080/", "npm test -- cart"].map((name) => ({
        type: "shell",
        name,
        words: `the command \`${name}\` exits with 0`,
        outcome: "",
        detail: "",
        tail: "",
        ms: 0,
        claim: 0,
      })),
      seq: 0,
    });
    this.goals.set(livelyId, goal);
    const { objective, policy, provider, model } = goal.view;
    goal.record(
      {
        type: "created",
        objective,
        criterion: "both checks",
        dir: policy.dir,
        risk: policy.risk,
        provider,
        model,
        scripted: false,
      },
      this.now,
    );
    this.play(livelyId, this.options.finish ? [...script, ...ending] : script);
  }

  /** Plays events one after the other; at speed 0 all of them before anyone listens. */
  private play(id: string, beats: readonly DemoStep[]) {
    const speed = this.options.speed ?? 0;
    const beat = (i: number) => {
      const b = beats[i];
      if (!b) return;
      this.now += b.after * 8;
      this.say(id, b.body);
      this.scenery(id, b.body);
      if (speed > 0) setTimeout(() => beat(i + 1), b.after / speed);
    };
    if (speed > 0) setTimeout(() => beat(0), 300 / speed);
    else beats.forEach((_, i) => beat(i));
  }

  /** Panes that the running goal opens. */
  private scenery(id: string, body: Body) {
    if (body.type !== "step_started") return;
    if (body.step_id === 6) {
      this.putPane(terminalPane("t2", { title: "build", dir: "/home/ada/shop", goal_id: id }));
      this.say(id, { type: "lease", pane: "t2", kind: "terminal", held: true });
    }
    if (body.step_id === 8) {
      this.putPane(
        browserPane("b1", {
          title: "Cardboard Legacy",
          url: "http://127.0.0.1:8080/cart",
          can_back: true,
          goal_id: id,
        }),
      );
      this.say(id, { type: "lease", pane: "b1", kind: "browser", held: true });
    }
    const page = this.panes.find((p) => p.id === "b1");
    if (body.step_id === 12 && page) this.putPane({ ...page, acting: "click “Check out”", x: 320, y: 288 });
  }

  private goal(id: string): FakeGoal {
    const goal = this.goals.get(id);
    if (!goal) throw new CallError({ code: "not_found", message: `no goal ${id}`, hint: "", field: "" });
    return goal;
  }

  private begin(input: GoalRequest): string {
    const checks = input.checks ?? [];
    const id = `01m0made000000000000000${String(++this.made).padStart(3, "0")}`;
    const goal = new FakeGoal({
      ...structuredClone(blankView),
      id,
      objective: input.objective,
      created_at: new Date(this.now + this.made).toISOString(),
      checks: checks.length,
      check_states: checks.map((c) => ({
        type: c.type,
        name: c.command ?? "",
        words: `the command \`${c.command ?? ""}\` exits with ${c.exit_code ?? 0}`,
        outcome: "",
        detail: "",
        tail: "",
        ms: 0,
        claim: 0,
      })),
      policy: {
        risk: input.risk,
        dir: input.dir || `${connection.work_dir}/${id.slice(-6)}`,
        work: [...(input.work ?? [])],
        ...(input.check_dir ? { check_dir: input.check_dir } : {}),
      },
      seq: 0,
    });
    this.goals.set(id, goal);
    this.say(id, { type: "queued", reason: "a slot becomes free" });
    this.say(id, { type: "started" });
    return id;
  }

  private changePane(id: string, part: Partial<PaneInfo>): boolean {
    const pane = this.panes.find((p) => p.id === id);
    if (pane) {
      const next = this.putPane({ ...pane, ...part });
      for (const b of this.browsers.get(id) ?? []) b.info(next);
    }
    return pane !== undefined;
  }

  private closePane(id: string): boolean {
    const pane = this.panes.find((p) => p.id === id);
    if (pane) this.putPane(pane, true);
    return pane !== undefined;
  }

  readonly chats = new FakeChats(
    (event) => {
      for (const l of this.listeners) l.chat?.(event);
    },
    (input) => this.begin(input),
  );

  private readonly handlers: Handlers = {
    ...this.chats.handlers,
    "GoalAPI.Start": (input) => ({ goal_id: this.begin(input) }),
    "GoalAPI.Try": ({ check }) =>
      this.tryOutput ??
      (check.command === "true"
        ? { outcome: "passes_already", detail: "it passes before anything was done", output: "", exit_code: 0, ms: 3 }
        : {
            outcome: "fails_now",
            detail: "exited with 1, expected 0",
            output: "1 test failed\n",
            exit_code: 1,
            ms: 2_210,
            trace: triedTrace,
          }),
    "GoalAPI.Get": (id) => this.withAsks(this.goal(id).view),
    "GoalAPI.Status": (id) => {
      const found = this.goals.get(id);
      return found ? { status: found.view.status, exit: found.view.exit, step: found.view.steps, last_step: "" } : null;
    },
    "GoalAPI.List": ({ search, limit, offset }) => {
      const all = [...this.goals.values()].map((g) => this.withAsks(g.view));
      const fit = all.filter((v) => v.objective.toLowerCase().includes(search.toLowerCase()));
      fit.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
      return { goals: fit.slice(offset, offset + limit), total: fit.length, counts: {} };
    },
    "GoalAPI.Search": ({ words, limit }) => search([...this.goals.values()], words, limit || 20),
    "GoalAPI.Steps": (id, after, limit) => {
      const { steps, view } = this.goal(id);
      return { steps: steps.filter((s) => s.n > after).slice(0, limit), total: steps.length, seq: view.seq };
    },
    "GoalAPI.Step": (id, n) => {
      const row = this.goal(id).steps.find((s) => s.n === n);
      if (!row) throw new CallError({ code: "not_found", message: `no step ${n}`, hint: "", field: "" });
      const clicked = row.tool === "browser_click";
      return {
        ...row,
        result: stepResult(row),
        image: clicked ? clickedPage : "",
        ...(clicked ? { click: { x: 886, y: 298, width: 1024, height: 480 } } : {}),
      };
    },
    "GoalAPI.Transcript": (id, input) => {
      const { events, steps } = this.goal(id);
      return transcript(events, steps, input);
    },
    "GoalAPI.Plots": (id) => {
      const { view, events } = this.goal(id);
      return this.plots ?? plotsOf(view, events);
    },
    "GoalAPI.Events": (id, after, limit) => {
      const rest = this.goal(id).events.filter((e) => (e.seq ?? 0) > after);
      return { events: rest.slice(0, limit), more: rest.length > limit };
    },
    "ChangesAPI.List": (id) => ({ ...this.changes, goal_id: id }),
    "ChangesAPI.File": (id, path) => {
      const found = fileDiff(this.changes, path) ?? runnerDiff(this.race, id, path);
      if (!found)
        throw new CallError({ code: "not_found", message: `${path} is what it was`, hint: "", field: "path" });
      return found;
    },
    "ChangesAPI.Show": (_, path) => this.putPane(filePane(`f${10 + this.rev}`, `/home/ada/shop/${path}`)),
    "ChangesAPI.Find": (_, __, names) => names.map(() => ""),
    "ChangesAPI.Edit": (_id, path) =>
      this.putPane(terminalPane(`t${10 + this.rev}`, { title: path.split("/").at(-1) ?? path })),
    "ChangesAPI.CommitOffer": () => ({
      unavailable: "",
      branch: "goalpost/repair-the-cart",
      current: "main",
      message: "Repair the cart",
    }),
    "ChangesAPI.Commit": (_id, input) => ({
      commit: "4f2a9c1d77b0",
      branch: input.branch,
      files: (this.changes.files ?? [])
        .filter((f) => input.paths.includes(f.path))
        .map((f) => ({ path: f.path, change: f.change })),
      skipped: [],
      mixed: [],
    }),
    "ChangesAPI.Undo": (id, input) => {
      const { view, out } = undo(this.changes, input);
      this.changes = view;
      if (!input.dry_run) {
        const files = (out.done ?? []).map((d) => d.path);
        this.setAftermath(id, "");
        this.say(id, { type: "changes_undone", to: out.to, count: files.length, files });
      }
      return out;
    },
    "RaceAPI.Get": () => this.race,
    "RaceAPI.Rank": () => rankFake(this.race),
    "RaceAPI.Start": () => ({ race_id: this.race.id, goals: (this.race.runners ?? []).map((r) => r.goal.id) }),
    "RaceAPI.Take": (_id, n, input) => takeFake(this.race, n, input),
    "RaceAPI.Undo": () => {
      this.race.taken = null;
      return { to: "its state before", done: [], skipped: [], left_out: [], can_redo: false };
    },
    "GoalAPI.Network": () => network,
    "GoalAPI.Recording": (id) => ({ panes: recorded(this.goal(id)) }),
    "GoalAPI.Replay": (id, pane, after) => replay(this.goal(id), pane, after),
    "GoalAPI.ReplayAt": (id, pane) => replay(this.goal(id), pane, 0),
    "GoalAPI.Output": (sha) =>
      `output of ${sha}\nFAIL src/cart.test.ts › total with two items\nline 23: expected 3, got 2\n`,
    "ExportAPI.HTML": (id) => ({ name: `goalpost-${id.slice(-8)}.html`, html: "<!doctype html>", left_out: [] }),
    "GoalAPI.Receipt": (id) => {
      const g = this.goal(id);
      const claims = g.events.filter((e) => e.type === "claim");
      const verdicts = g.events.filter((e) => e.type === "verdict");
      return {
        goal_id: id,
        objective: g.view.objective,
        criterion: (g.view.check_states ?? []).map((c) => c.words).join(" and "),
        criterion_sha256: g.view.criterion_sha256.repeat(4),
        policy_sha256: "41ee0c9a77d2b310".repeat(4),
        work: g.view.policy.work ?? [],
        check_dir: g.view.policy.check_dir ?? "",
        status: g.view.status,
        exit: g.view.exit,
        verified: g.view.verified,
        judged: g.view.judged,
        ...(g.view.assurance ? { assurance: g.view.assurance } : {}),
        ...(g.view.assurance_basis ? { assurance_basis: g.view.assurance_basis } : {}),
        ...(g.view.assurance_words ? { assurance_words: g.view.assurance_words } : {}),
        ...(g.view.assurance_reason ? { assurance_reason: g.view.assurance_reason } : {}),
        reviewed: false,
        model: g.view.model,
        effort: g.view.options.effort ?? "",
        scripted: g.view.scripted,
        report: g.view.report,
        claims: claims.map((c, i) => ({
          n: c.n,
          at: c.at,
          by: c.by ?? "",
          rationale: c.rationale,
          result: c.result ?? "",
          review: "" as const,
          review_reason: "",
          deciding: g.view.verified && i === claims.length - 1,
          verdicts: verdicts.filter((v) => v.claim === c.n),
        })),
      };
    },
    "GoalAPI.Abort": (id) => this.end(id, "aborted"),
    "GoalAPI.Pause": (id) =>
      this.say(id, { type: "paused", exit: "user_paused", reason: "You paused it.", report: null }) !== undefined,
    "GoalAPI.Resume": (id, input) => this.resume(id, input),
    "GoalAPI.Reopen": (id, { note }) => this.say(id, { type: "reopened", note }) !== undefined,
    "GoalAPI.Accept": (id) => this.accept(id),
    "GoalAPI.Reject": (id, note) => {
      this.say(id, { type: "resumed" });
      return this.say(id, { type: "steered", text: note }) !== undefined;
    },
    "GoalAPI.Prunable": (input) => ({ goals: this.prunable(input).length }),
    "GoalAPI.Prune": (input) => {
      const ids = this.prunable(input);
      for (const id of ids) this.goals.delete(id);
      return { goals: ids.length };
    },
    "GoalAPI.ProtectedState": () => this.protection,
    "GoalAPI.Protected": ({ dir, checks, no_protect }) =>
      dir.endsWith("/shop") && checks.length > 0 ? protectedFiles.filter((f) => !no_protect.includes(f.path)) : [],
    "GoalAPI.Recheck": (id) => {
      const verdicts = this.goal(id).events.filter((e) => e.type === "verdict" && e.outcome === "pass");
      const passed = !this.changes.undone;
      this.setAftermath(id, ": checks fail");
      this.say(id, { type: "rechecked", result: passed ? "met" : "not_met", passed: 0, verdicts: [] });
      return { verdicts: verdicts as unknown as Verdict[], passed, open: false, faults: [] };
    },
    "GoalAPI.Suggest": ({ dir }) => ({
      checks: dir ? structuredClone(suggested) : [],
      notes: dir ? [] : ["No model was asked, because none is connected."],
    }),
    "GoalAPI.TrySuggested": ({ check }) =>
      check.type === "http"
        ? { outcome: "passes_already", detail: "200", output: "", exit_code: 0, ms: 12 }
        : {
            outcome: "fails_now",
            detail: "exited with 1, expected 0",
            output: "1 test failed\n",
            exit_code: 1,
            ms: 2_210,
          },
    "GoalAPI.Folders": (typed) => {
      const path = typed.replace(/^~/, "/home/ada");
      const isMissing = typed.endsWith("/gone");
      return {
        dir: isMissing || path === "/home/ada/sh" ? "" : path,
        problem: isMissing ? `the folder ${typed} does not exist` : "",
        is_missing: isMissing,
        folders: ["/home/ada/shop", "/home/ada/shop/api"].filter((dir) => dir.startsWith(path)),
        recent: this.recentFolders,
      };
    },
    "GoalAPI.MakeFolder": (path) => path.replace(/^~/, "/home/ada"),
    "GoalAPI.Instructions": (dir) => (dir.endsWith("/shop") ? [{ path: "AGENTS.md", bytes: 3_072 }] : []),
    "GoalAPI.Proposal": (dir) => {
      if (!dir.endsWith("/shop")) {
        throw new CallError({ code: "not_found", message: `${dir} proposes nothing`, hint: "", field: "dir" });
      }
      return proposal;
    },
    "GoalAPI.Steer": (id, text) => this.say(id, { type: "steered", text }) !== undefined,
    "GoalAPI.Delete": (id) => this.goals.delete(id),
    "GoalAPI.Demo": () => {
      if (!this.goals.has(livelyId)) this.lively();
      return { goal_id: livelyId };
    },
    "ApprovalAPI.List": (id) => this.approvals.filter((a) => id === "" || a.goal_id === id),
    "ApprovalAPI.Answer": (answers) => {
      for (const { goal_id, request, allow, scope, why } of answers) {
        const a = this.approvals.find((o) => o.goal_id === goal_id && o.request === request);
        if (!a) throw new CallError({ code: "not_found", message: `no open approval ${request}`, hint: "", field: "" });
        this.approvals = this.approvals.filter((o) => o !== a);
        const covers = a.offers?.find((o) => o.scope === scope)?.covers ?? "";
        if (allow && scope !== "" && scope !== "once")
          this.grants = [...this.grants, { goal_id, request, scope, covers, held: scope === "reach" }];
        this.say(goal_id, { type: "approval_resolved", request, allowed: allow, why, by: "user" });
      }
      return true;
    },
    "ApprovalAPI.Grants": (id) => this.grants.filter((g) => id === "" || g.goal_id === id),
    "ApprovalAPI.Revoke": (id, request) => {
      this.grants = this.grants.filter((g) => g.goal_id !== id || g.request !== request);
      this.say(id, { type: "grant_ended", request, why: "the user revoked it" });
      return true;
    },
    "TerminalAPI.Open": ({ dir }) => this.putPane(terminalPane(`t${10 + this.rev}`, dir ? { dir } : {})),
    "TerminalAPI.Close": (id) => this.closePane(id),
    "TerminalAPI.Rename": (id, title) => this.changePane(id, { title }),
    "TerminalAPI.Restart": (id) => {
      this.changePane(id, { running: true, exit: 0 });
      return this.panes.find((p) => p.id === id) ?? terminalPane(id);
    },
    "TerminalAPI.End": (id) => this.changePane(id, { running: false, exit: -1 }),
    "TerminalAPI.PasteImage": () => "/home/ada/.local/state/goalpost/pasted/picture-1.png",
    "SSHAPI.List": () => this.servers,
    "SSHAPI.Save": (server) => {
      const saved = { ...server, id: server.id || `s${this.servers.length + 1}` };
      this.servers = [...this.servers.filter((s) => s.id !== saved.id), saved];
      return saved;
    },
    "SSHAPI.Delete": (id) => {
      this.servers = this.servers.filter((s) => s.id !== id);
      return true;
    },
    "SSHAPI.Test": () => true,
    "SSHAPI.Sessions": () => remoteSessions,
    "SSHAPI.Open": ({ server, session }) =>
      this.putPane(
        terminalPane(`t${10 + this.rev}`, {
          title: this.servers.find((s) => s.id === server)?.name ?? server,
          server,
          session: session || "goalpost-1a2b3c4d",
        }),
      ),
    "SSHAPI.KeyFiles": () => ["~/.ssh/id_ed25519", "~/.ssh/deploy"],
    "SSHAPI.ConfigHosts": () => ["build", "staging"],
    "SSHAPI.Connect": ({ target }) =>
      this.putPane(terminalPane(`t${10 + this.rev}`, { title: target, server: target, session: "goalpost-1a2b3c4d" })),
    "SSHAPI.Answer": ({ pane }) => this.changePane(pane, { ask: "", secret: false }),
    "SSHAPI.Destroy": (id) => this.closePane(id),
    "BrowserAPI.Open": ({ url }) => this.putPane(browserPane(`b${10 + this.rev}`, url ? { url, title: url } : {})),
    "BrowserAPI.Close": (id) => this.closePane(id),
    "BrowserAPI.Reopen": () => null,
    "BrowserAPI.Navigate": (id, url) => this.changePane(id, { url, title: url, can_back: true, problem: "" }),
    "BrowserAPI.Enter": (id, url) => this.changePane(id, { url, title: url, can_back: true, problem: "" }),
    "BrowserAPI.Back": (id) => this.changePane(id, { can_forward: true }),
    "BrowserAPI.Forward": (id) => this.changePane(id, { can_forward: false }),
    "BrowserAPI.Reload": (id) => this.changePane(id, { problem: "" }),
    "BrowserAPI.Stop": (id) => this.changePane(id, { loading: false }),
    "BrowserAPI.Answer": () => true,
    "BrowserAPI.TakeOver": (id) => this.changePane(id, { driver: "user", acting: "" }),
    "BrowserAPI.HandBack": (id) => this.changePane(id, { driver: "agent" }),
    "BrowserAPI.Find": (_id, text) => ({ index: text ? 1 : 0, count: text ? 3 : 0 }),
    "BrowserAPI.DevTools": (id) =>
      this.putPane(browserPane(`b${10 + this.rev}`, { title: "DevTools", inspects: id, url: "devtools://devtools/" })),
    "BrowserAPI.SetDark": () => true,
    "BrowserAPI.Zoom": () => true,
    "BrowserAPI.LeaveFullscreen": () => true,
    "BrowserAPI.Pin": (id, pinned) => this.changePane(id, { pinned }),
    "BrowserAPI.Print": () => "/home/ada/Downloads/page.pdf",
    "BrowserAPI.Save": () => true,
    "BrowserAPI.CopyPicture": () =>
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4AWNgAAAAAgABc3UBGAAAAABJRU5ErkJggg==",
    "BrowserAPI.CancelDownload": () => true,
    "BrowserAPI.PlaceDownload": () => true,
    "BrowserAPI.Downloads": () => [],
    "BrowserAPI.ForgetDownload": () => true,
    "BrowserAPI.OpenDownload": () => true,
    "BrowserAPI.Upload": ({ name }) => `/tmp/${name}`,
    "BrowserAPI.Profiles": () => ["default", "work"],
    "BrowserAPI.DeleteProfile": () => true,
    "BrowserAPI.RenameProfile": () => true,
    "BrowserAPI.ImportCookies": () => 3,
    "BrowserAPI.Logins": () => ({ origin: "", users: [] }),
    "BrowserAPI.FillLogin": () => true,
    "BrowserAPI.Site": () => ({
      origin: "http://localhost:8080",
      came: "here",
      certificate: null,
      permissions: [{ name: "geolocation", state: "ask" }],
      cookies: 2,
      user_agent: "",
    }),
    "BrowserAPI.SetPermission": () => true,
    "BrowserAPI.ClearSite": () => true,
    "BrowserAPI.Bookmarks": () => [],
    "BrowserAPI.SetBookmark": () => true,
    "BrowserAPI.History": () => [],
    "BrowserAPI.ClearHistory": () => true,
    "WorkspaceAPI.Panes": () => ({ rev: this.rev, panes: this.panes, workspaces: this.workspaces }),
    "WorkspaceAPI.Create": (name, folder) => {
      const id = `w${this.workspaces.list.length + 1}`;
      const one = { id, name: name || `Workspace ${this.workspaces.list.length + 1}`, folder, panes: [], goals: [] };
      this.putWorkspaces({ list: [...this.workspaces.list, one], active: id });
      return id;
    },
    "WorkspaceAPI.Rename": (id, name, folder) => this.putWorkspace(id, { name, folder }),
    "WorkspaceAPI.Move": (id, to) => {
      const list = this.workspaces.list.filter((w) => w.id !== id);
      list.splice(to, 0, ...this.workspaces.list.filter((w) => w.id === id));
      return this.putWorkspaces({ list });
    },
    "WorkspaceAPI.Close": (id) => this.putWorkspaces({ list: this.workspaces.list.filter((w) => w.id !== id) }),
    "WorkspaceAPI.Activate": (id) => this.putWorkspaces({ active: id }),
    "WorkspaceAPI.Show": (id, pane, on) => {
      const panes = this.workspaces.list.find((w) => w.id === id)?.panes ?? [];
      return this.putWorkspace(id, { panes: [...panes.filter((p) => p !== pane), ...(on ? [pane] : [])] });
    },
    "WorkspaceAPI.AddGoal": (id, goal) => {
      const goals = this.workspaces.list.find((w) => w.id === id)?.goals ?? [];
      return this.putWorkspace(id, { goals: [...goals, goal] });
    },
    "WorkspaceAPI.CloseSoon": () => true,
    "WorkspaceAPI.Export": (id) => ({
      goalpost_workspace: 1,
      name: id,
      folder: "",
      layout: this.layout,
      panes: this.panes.map((p) => ({ id: p.id, kind: p.kind, title: p.title, dir: p.dir, command: "", url: p.url })),
    }),
    "WorkspaceAPI.Keep": () => true,
    "WorkspaceAPI.Look": () => true,
    "WorkspaceAPI.Files": (dir) => ({ dir, files: ["README.md", "src/cart.ts", "src/main.ts"], partial: false }),
    "WorkspaceAPI.FindFiles": (_, names) => names.map(() => ""),
    "WorkspaceAPI.EditLine": (path) => this.putPane(terminalPane(`t${10 + this.rev}`, { title: path })),
    "FileAPI.Open": ({ path, dir }) => this.putPane(filePane(`f${10 + this.rev}`, dir ? `${dir}/${path}` : path)),
    "FileAPI.Save": () => "saved",
    "FileAPI.Draft": () => this.fileDraft,
    "FileAPI.KeepDraft": () => true,
    "FileAPI.DropDraft": () => true,
    "FileAPI.ShowFolder": () => true,
    "FileAPI.Close": (id) => this.closePane(id),
    "WorkspaceAPI.Layout": () => this.layout,
    "WorkspaceAPI.SaveLayout": (_, json) => {
      this.layout = json;
      return true;
    },
    "MCPAPI.List": () => this.mcpServers,
    "MCPAPI.Save": (s) => {
      this.mcpServers = [...this.mcpServers.filter((o) => o.name !== s.name), s];
      return true;
    },
    "MCPAPI.Delete": (name) => {
      this.mcpServers = this.mcpServers.filter((s) => s.name !== name);
      return true;
    },
    "MCPAPI.Test": (name) => {
      const found = this.mcpServers.find((s) => s.name === name);
      if (!found) throw new Error(`no server ${name}`);
      return found;
    },
    "MCPAPI.LogIn": (name) => {
      const found = this.mcpServers.find((s) => s.name === name);
      if (!found) throw new Error(`no server ${name}`);
      return found;
    },
    "DeviceAPI.Overview": () => {
      const isReached = this.settings.share_address !== "" && this.shareProblem === "";
      return {
        sharing: {
          ...(isReached ? sharing : notShared),
          problem: this.settings.share_address ? this.shareProblem : "",
        },
        has_password: this.devicePassword !== "",
        devices: this.devices,
      };
    },
    "DeviceAPI.NewLink": () => ({
      url: "https://192.168.1.20:4444/?link=0123456789abcdef0123456789abcdef",
      expires: new Date(Date.now() + 600_000).toISOString(),
      qr: Array.from({ length: 29 }, (_, y) =>
        Array.from({ length: 29 }, (_, x) => ((x * 5 + y * 3 + ((x * y) % 7)) % 3 === 0 ? "#" : " ")).join(""),
      ),
    }),
    "DeviceAPI.Revoke": (id) => {
      this.devices = this.devices.filter((d) => d.id !== id);
      return true;
    },
    "DeviceAPI.SetPassword": (password) => {
      this.devicePassword = password;
      return true;
    },
    "WebhookAPI.List": () => this.webhooks,
    "WebhookAPI.Save": ({ url, ...w }) => {
      const host = url ? new URL(url).host : (this.webhooks.find((o) => o.name === w.name)?.host ?? "");
      const rest = this.webhooks.filter((o) => o.name !== w.name);
      this.webhooks = [...rest, { ...w, events: [...w.events], host, failed_at: "", failure: "" }];
      return true;
    },
    "WebhookAPI.Delete": (name) => {
      this.removedWebhook = this.webhooks.find((w) => w.name === name);
      this.webhooks = this.webhooks.filter((w) => w.name !== name);
      return true;
    },
    "WebhookAPI.Restore": () => {
      if (this.removedWebhook) this.webhooks = [...this.webhooks, this.removedWebhook];
      return true;
    },
    "WebhookAPI.Test": () => ({ status: 200, elapsed_ms: 84 }),
    "ModelAPI.List": () => this.providers,
    "ModelAPI.Save": (p) => {
      this.providers = [...this.providers.filter((o) => o.id !== p.id), { ...p, ready: true }];
      return true;
    },
    "ModelAPI.Delete": (id) => {
      this.providers = this.providers.filter((p) => p.id !== id);
      return true;
    },
    "ModelAPI.Use": (id) => {
      this.providers = this.providers.map((p) => ({ ...p, active: p.id === id }));
      return true;
    },
    "ModelAPI.Test": (id) => ({ id: "model", state: "ok", title: "It answers", detail: `${id} · 212 ms`, hint: "" }),
    "ModelAPI.Presets": () => presets,
    "ModelAPI.Discover": () => foundServers,
    "ModelAPI.Try": () => this.connectionTest,
    "ModelAPI.Connect": (input) => this.saveConnection(input),
    "ModelAPI.Models": () => this.connectionTest.models,
    "SecretAPI.Where": () => ({
      place: "keyring",
      detail: "the keyring of your session (Secret Service)",
      locked: false,
      passphrase: false,
    }),
    "SecretAPI.List": () => this.secrets,
    "SecretAPI.Set": ({ name, hosts }) => {
      const kept: SecretView = { name, place: "keyring", hosts: [...hosts], added: new Date().toISOString() };
      this.secrets = [...this.secrets.filter((s) => s.name !== name), kept];
      return "keyring";
    },
    "SecretAPI.Remove": (name) => {
      this.secrets = this.secrets.filter((s) => s.name !== name);
      return true;
    },
    "SecretAPI.Unlock": () => true,
    "SecretAPI.Protect": () => true,
    "SecretAPI.Logins": () => this.logins,
    "SecretAPI.SaveLogin": ({ origin, user }) => {
      this.logins = [...this.logins, { origin, user }];
      return true;
    },
    "SecretAPI.ChangeLogin": () => true,
    "SecretAPI.RemoveLogin": (origin, user) => {
      this.logins = this.logins.filter((l) => l.origin !== origin || l.user !== user);
      return true;
    },
    "LibraryAPI.List": () => this.library,
    "LibraryAPI.InferPersona": (objective) => inferFakePersona(objective),
    "LibraryAPI.FillTemplate": (name, dir, values) => fillFakeTemplate(name, dir, values ?? {}),
    "LibraryAPI.Validate": ({ text }) => (text.startsWith("---\n") ? "" : "it does not begin with front matter"),
    "LibraryAPI.Save": ({ kind, name, text }) => {
      const before = this.library.find((e) => e.kind === kind && e.name === name && e.owner === "user");
      const own = before ?? newFakeEntry(kind || "persona", name);
      this.library = [...this.library.filter((e) => e !== before), { ...own, text, problem: "" }];
      return true;
    },
    "LibraryAPI.Duplicate": (key, name) => {
      const from = this.library.find((e) => e.kind === key.kind && e.name === key.name && e.path === key.path);
      if (from) this.library = [...this.library, { ...from, name, owner: "user", trusted: true }];
      return true;
    },
    "LibraryAPI.Trust": (key) => {
      this.library = this.library.map((e) =>
        e.path === key.path && e.name === key.name ? { ...e, trusted: true } : e,
      );
      return true;
    },
    "LibraryAPI.Delete": (key) => {
      this.deletedEntries = this.library.filter(
        (e) => e.owner === "user" && e.name === key.name && e.kind === key.kind,
      );
      this.library = this.library.filter((e) => !this.deletedEntries.includes(e));
      return true;
    },
    "LibraryAPI.Restore": () => {
      this.library = [...this.library, ...this.deletedEntries];
      return true;
    },
    "LibraryAPI.Recipes": () => this.recipes,
    "LibraryAPI.DeleteRecipe": (name) => {
      this.deletedRecipes = this.recipes.filter((r) => r.name === name);
      this.recipes = this.recipes.filter((r) => r.name !== name);
      return true;
    },
    "LibraryAPI.RestoreRecipe": () => {
      this.recipes = [...this.recipes, ...this.deletedRecipes];
      return true;
    },
    "MemoryAPI.List": () => this.memory,
    "MemoryAPI.Add": (dir, text) => {
      this.memory = [newFakeNote(dir, text), ...this.memory];
      return [];
    },
    "MemoryAPI.Edit": (id, text) => {
      this.memory = this.memory.map((n) => (n.id === id ? { ...n, text, goal: "" } : n));
      return [];
    },
    "MemoryAPI.Delete": (id) => {
      this.memory = this.memory.filter((n) => n.id !== id);
      return true;
    },
    "GoalAPI.Digest": (since) =>
      digestOf(
        [...this.goals.values()].map((g) => this.withAsks(g.view)),
        since,
      ),
    "ScheduleAPI.List": () => this.schedules.list,
    "ScheduleAPI.Get": (id) => this.schedules.find(id),
    "ScheduleAPI.Runs": (id) => this.schedules.runsOf(id),
    "ScheduleAPI.Describe": (cron) => this.schedules.describe(cron),
    "ScheduleAPI.Save": (id, input) => this.schedules.save(id, input),
    "ScheduleAPI.SetMode": (id, mode) => this.schedules.setMode(id, mode),
    "ScheduleAPI.Run": (id) => this.schedules.start(id),
    "ScheduleAPI.Delete": (id) => this.schedules.delete(id),
    "EngineAPI.List": () => this.engines,
    "EngineAPI.Use": (id) => {
      this.engines = this.engines.map((e) => ({ ...e, default: e.id === id }));
      return true;
    },
    "EngineAPI.Test": () => ({
      ok: true,
      ms: 9_400,
      stages: [
        { name: "start and session", ok: true, detail: "" },
        { name: "one prompt", ok: true, detail: "" },
        { name: "a change and a claim", ok: true, detail: "" },
      ],
    }),
    "WorktreeAPI.Offer": (dir) =>
      dir === "/home/ada/shop"
        ? {
            unavailable: "",
            repository: dir,
            from: "main",
            commit: "4f2a9c1d77b0",
            branch: "goalpost/repair-the-cart",
            uncommitted: 2,
          }
        : {
            unavailable: `the folder ${dir} is not in a git repository`,
            repository: "",
            from: "",
            commit: "",
            branch: "",
            uncommitted: 0,
          },
    "WorktreeAPI.List": () => this.worktrees,
    "WorktreeAPI.Remove": (which, force) => {
      const found = this.worktrees.find((w) => w.path === which);
      if (!found) throw new CallError({ code: "not_found", message: `${which} is no worktree`, hint: "", field: "" });
      if (!force && (!found.merged || found.uncommitted > 0)) {
        throw new CallError({ code: "conflict", message: `${which} has work`, hint: "", field: "" });
      }
      this.worktrees = this.worktrees.filter((w) => w !== found);
      return { ...found, commit: "4f2a9c1d77b0aa" };
    },
    "DatabaseAPI.Problem": () => damagedDatabase,
    "DatabaseAPI.Restore": () => "/home/ada/.local/state/goalpost/goalpost-broken-20261129T070300Z.db",
    "DatabaseAPI.StartAnew": () => "/home/ada/.local/state/goalpost/goalpost-broken-20261129T070300Z.db",
    "DatabaseAPI.Restart": () => true,
    "DatabaseAPI.Later": () => true,
    "FiguresAPI.Get": () => (this.options.empty === true ? noFigures : figures),
    "SpendAPI.Plot": (by) => spendPlot(by, this.options.empty === true),
    "SpendAPI.Today": () => this.spentToday(),
    "SpendAPI.Report": (input) => {
      const by = input.by || "day";
      const rows = this.options.empty ? [] : spendRows[by];
      const total = { key: "", label: "", usd: 0, turns: 0, tokens_in: 0, tokens_out: 0 };
      for (const r of rows) {
        total.usd += r.usd;
        total.turns += r.turns;
        total.tokens_in += r.tokens_in;
        total.tokens_out += r.tokens_out;
      }
      return { ...input, by, rows, total, today: this.spentToday() };
    },
    "SettingsAPI.Get": () => this.settings,
    "SettingsAPI.Save": (s) => {
      this.settings = s;
      for (const l of this.listeners) l.settings?.();
      return true;
    },
    "SettingsAPI.FileState": () => ({ path: settingsPath, problems: this.settingsProblems }),
    "SettingsAPI.OpenFile": () => this.putPane(filePane(`f${10 + this.rev}`, settingsPath)),
    "SettingsAPI.MoveFileAside": () => {
      this.settingsProblems = [];
      return `${settingsPath}.unreadable`;
    },
    "SettingsAPI.ColorSchemes": () => colorSchemes,
    "SettingsAPI.ImportColorScheme": (name) => ({ ...importedScheme, name }),
    "SettingsAPI.DeleteColorScheme": () => true,
    "SettingsAPI.TerminalProfiles": () => terminalProfiles,
    "SettingsAPI.SaveTerminalProfile": () => true,
    "SettingsAPI.DeleteTerminalProfile": () => true,
    "SettingsAPI.Doctor": () => this.findings,
    "SettingsAPI.Connect": () => connection,
  };

  private resume(id: string, input: ResumeInput): boolean {
    const { view } = this.goal(id);
    view.parked_until = "";
    if (input.model) {
      const [own = "", ...fallbacks] = input.model.split(",").map((one) => one.trim());
      const [provider = "", ...name] = own.split("/");
      this.say(id, { type: "model_changed", provider, model: name.join("/"), fallbacks });
    }
    if (input.wall_clock_ms || input.iterations || input.tokens || input.usd) {
      this.say(id, {
        type: "limits_changed",
        wall_clock_ms: input.wall_clock_ms || view.wall_clock_ms,
        iterations: input.iterations || view.max_iterations,
        claims_per_check: input.claims_per_check || view.max_claims,
        tokens: input.tokens || view.max_tokens,
        usd: input.usd || view.max_usd,
      });
    }
    return this.say(id, input.note ? { type: "resumed", note: input.note } : { type: "resumed" }) !== undefined;
  }

  private accept(id: string): boolean {
    const { exit, assurance, assurance_reason } = this.goal(id).view;
    if (exit === "done" && assurance && assurance_reason)
      return this.say(id, { type: "accepted", assurance, assurance_basis: "user", assurance_reason }) !== undefined;
    this.say(id, { type: "resumed" });
    const report = ["Done: the user accepted claim 1. Not verified by the host."];
    return (
      this.say(id, {
        type: "ended",
        status: "completed",
        exit: "done",
        verified: false,
        assurance: "claimed",
        report,
      }) !== undefined
    );
  }

  /** Says in the goal what its folder is since an undo, with what the checks say. */
  private setAftermath(id: string, checks: string) {
    const { view } = this.goal(id);
    const there = new Set(this.changes.files?.map((f) => f.path));
    const gone = (changes.files ?? []).map((f) => f.path).filter((path) => !there.has(path));
    const undone = there.size === 0 ? "changes" : gone.length === 1 ? (gone[0] ?? "") : `${gone.length} files`;
    const outcome = gone.length === 0 ? "pass" : checks ? "fail" : "";
    view.check_states = (view.check_states ?? []).map((c) => ({
      ...c,
      outcome,
      detail: outcome === "pass" ? "exit 0" : "exit 1",
    }));
    if (gone.length > 0) view.aftermath = `${undone} undone${checks}`;
    else delete view.aftermath;
  }

  private prunable(input: PruneInput): string[] {
    const before = this.now - input.older_than_ms;
    return [...this.goals.values()]
      .map((g) => g.view)
      .filter((v) => v.ended_at !== "" && Date.parse(v.ended_at) <= before)
      .filter((v) => input.status === "" || v.status === input.status)
      .map((v) => v.id);
  }

  private end(id: string, status: "aborted"): boolean {
    const said = this.say(id, {
      type: "ended",
      status,
      exit: "user_aborted",
      verified: false,
      report: ["You aborted it."],
    });
    return said !== undefined;
  }
}
