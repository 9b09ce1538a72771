import { livelyId, type FakeBridge, type FakeOptions } from "@/bridge/fake/bridge";
import { longGoal, longId } from "@/bridge/fake/longgoal";
import { at, browserPane, changedProtection, filePane, rejectedKey, terminalPane } from "@/bridge/fake/fixtures";
import type { PaneDownload, PaneInfo, UserPrompt } from "@/bridge/types";
import { cartChat, chatMessage, longChat } from "@/bridge/fake/chats";
import { dayOfPlots } from "@/bridge/fake/plots";
import { proofs } from "@/bridge/fake/proofs";
import { raceId } from "@/bridge/fake/race";
import { attachment } from "@/store/chatactions";
import { undoInput } from "@/store/folderactions";
import type { App } from "@/store/app";

export interface Scene {
  options?: FakeOptions;
  /** The window of a database that cannot be read. */
  repair?: boolean;
  before?: (bridge: FakeBridge) => void;
  /** Prepares the scene; it is ready when the returned promise resolves. */
  after?: (app: App, bridge: FakeBridge) => unknown;
}

const done = "01m0done0000000000000000e5";

/** Waits for the first element with that test id. */
const shown = (testid: string) => drawn(`[data-testid="${testid}"]`);

/** Waits for the first element that a selector finds. */
function drawn(selector: string): Promise<HTMLElement> {
  return new Promise((resolve) => {
    const look = () => {
      const found = document.querySelector<HTMLElement>(selector);
      if (found) resolve(found);
      else requestAnimationFrame(look);
    };
    look();
  });
}

async function press(testid: string, times = 1) {
  const button = await shown(testid);
  for (let i = 0; i < times; i++) button.click();
  return button;
}

/** Types a line as a user does, and confirms it. */
function enter(line: HTMLElement, text: string) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(line, text);
  line.dispatchEvent(new Event("input", { bubbles: true }));
  line.dispatchEvent(new KeyboardEvent("keydown", { code: "Enter", bubbles: true }));
}

/** Opens a menu, which reacts to pointerdown. */
function unfold(trigger: HTMLElement) {
  trigger.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0, pointerType: "mouse" }));
}

/** An icon of a page: a disc of one color. */
function icon(color: string): string {
  const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
  const context = canvas.getContext("2d");
  if (!context) return "";
  context.fillStyle = color;
  context.arc(16, 16, 14, 0, 7);
  context.fill();
  return canvas.toDataURL("image/png");
}

const saveLogin: UserPrompt = {
  ...{ id: 1, kind: "save_login", origin: "https://legacy.example.org", text: "", type: "", min: "", max: "" },
  ...{ value: "me@example.org", options: [], multiple: false, x: 0, y: 0, width: 0, height: 0, link: "", image: "" },
  ...{ selected: "", editable: false, no_answer: false },
};

const download: PaneDownload = {
  id: "d1",
  name: "invoice-2026-10.pdf",
  url: "https://legacy.example.org/invoice",
  path: "/home/ada/Downloads/invoice-2026-10.pdf",
  state: "downloaded",
  asks: false,
  received: 84_000,
  total: 84_000,
};

/** A done goal at each level of what it proves, with its checks, and beside the workspace. */
function proofScenes(): Record<string, Scene> {
  const list: Record<string, Scene> = {};
  for (const [level, view] of Object.entries(proofs)) {
    const before = (b: FakeBridge) => void Object.assign(b.goals.get(done)?.view ?? {}, view);
    list[`goal-${level}`] = {
      before,
      after: (app) => {
        app.openGoal(done, "checks");
        return shown("checks-tab");
      },
    };
    list[`goal-${level}-drawer`] = { before, after: (app) => app.watchGoal(done) };
  }
  return list;
}

/** Undoes one file of the done goal, and waits until its checks have run again. */
async function undone(app: App, open: () => void) {
  open();
  await shown("next-undo");
  const { view } = app.state.detail;
  if (view) await app.folder.undo(view, undoInput({ paths: ["cart/cart.go"] }));
  return new Promise<void>((resolve) => {
    const look = () => {
      if (app.state.detail.view?.aftermath?.includes("fail")) resolve();
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** The chat panel: a conversation, its list, one that is turned into a goal, and what it says without any. */
function chatScenes(): Record<string, Scene> {
  const open = async (app: App, id: string) => {
    await shown("pane");
    app.chat.open();
    await shown("chat-panel");
    app.chat.show(id);
  };
  return {
    chat: {
      after: async (app) => {
        await open(app, cartChat);
        const call = await shown("chat-call-open");
        call.click();
        app.chat.attach(attachment({ kind: "pane", title: "deploy@edge-1", pane: "t1" }));
        return shown("chat-call-details");
      },
    },
    "chat-ask": {
      after: async (app, bridge) => {
        await open(app, cartChat);
        await shown("chat-message");
        const address = `https://docs.shop.example/cart/coupons?version=4&page=${"long-".repeat(30)}`;
        const ask = { request: "a1", arguments: JSON.stringify({ url: address }), hosts: ["docs.shop.example"] };
        const call = {
          id: "c9",
          tool: "fetch_url",
          arguments: ask.arguments,
          state: "asking" as const,
          preview: "",
          ms: 0,
        };
        const parts = [
          { text: "The documentation should say.", call: null },
          { text: "", call: { ...call, ask } },
        ];
        bridge.chats.put(cartChat, chatMessage({ id: 6, role: "assistant", state: "answering", parts }));
        return shown("chat-ask");
      },
    },
    "chat-empty": { after: (app) => open(app, "").then(() => shown("chat-example")) },
    "chat-goal": {
      after: async (app) => {
        await open(app, cartChat);
        await shown("chat-message");
        await app.chat.openProposal();
        return shown("chat-goal-check");
      },
    },
    "chat-list": {
      before: (b) => b.chats.addLong(),
      after: async (app) => {
        await open(app, cartChat);
        await shown("chat-message");
        app.chat.openList();
        return shown("chat-line");
      },
    },
    "chat-long": {
      before: (b) => b.chats.addLong(),
      after: (app) => open(app, longChat).then(() => shown("chat-message")),
    },
    "chat-failed": {
      before: (b) => {
        const { messages } = b.chats.get(cartChat);
        const last = messages.at(-1);
        if (!last) return;
        const problem = {
          problem: "OpenAI rejected this key.",
          hint: "Replace the key in the settings, under Models.",
        };
        messages[messages.length - 1] = { ...last, state: "failed", ...problem };
      },
      after: (app) => open(app, cartChat).then(() => shown("chat-problem")),
    },
    "chat-no-model": {
      before: (b) => void (b.providers = []),
      after: (app) => open(app, "").then(() => shown("chat-no-model")),
    },
  };
}

/** The scenes by name. */
export const scenes: Record<string, Scene> = {
  ...proofScenes(),
  "database-damaged": { repair: true },
  workspace: {},
  "workspace-empty": {
    options: { empty: true },
    after: (app) => app.sync.select(""),
  },
  "workspace-long": {
    before: (b) => {
      b.panes = [
        terminalPane("t7", {
          title: "server",
          dir: "/home/ada/Goalpost/2026-11-21-make-a-price-list-as-a-web-page-in-index",
          goal_id: "01m0running00000000000000a1",
        }),
        browserPane("b7", {
          title: "A page with a very long title that says more than fits into a tab of this width",
          goal_id: "01m0running00000000000000a1",
        }),
      ];
    },
  },
  "workspace-tabs": {
    before: (b) => {
      b.panes.push(
        terminalPane("t7", { title: "tests", running: false, exit: 130 }),
        terminalPane("t8", { title: "logs" }),
      );
      b.panes.push(browserPane("b7", { title: "", problem: "The page crashed." }), browserPane("b8"));
    },
  },
  "workspace-needs-you": { after: (app) => app.watchGoal("01m0running00000000000000a1") },
  "workspace-question": { after: (app) => app.watchGoal("01m0needs000000000000000b2") },
  goals: { after: (app) => app.go("goals") },
  "goals-strip": {
    before: (b) => {
      b.spent = 17.2;
      for (const id of [done, "01m0limit000000000000000f6"]) {
        const view = b.goals.get(id)?.view;
        if (view) Object.assign(view, { ended_at: new Date().toISOString(), usd: 0.44 });
      }
    },
    after: (app) => {
      app.go("goals");
      return press("fleet-tile");
    },
  },
  "goals-grouped": {
    before: (b) => {
      const closed = ["/home/ada/infra"];
      localStorage.setItem("goalpost.goal-list", JSON.stringify({ grouping: "folder", order: "newest", closed }));
      const [parent] = b.goals.values();
      for (const id of ["01m0needs000000000000000b2", "01m0waits00000000000000h8"]) {
        const view = b.goals.get(id)?.view;
        if (view && parent) view.parent = parent.view.id;
      }
    },
    after: (app) => {
      app.go("goals");
      return shown("goal-group");
    },
  },
  "goals-filter-menu": {
    before: (b) => {
      const saved = { folders: ["/home/ada/infra"], models: [], status: "" };
      b.settings.goal_filters = [{ name: "Infra", ...saved }];
      localStorage.setItem("goalpost.goal-filter", JSON.stringify(saved));
    },
    after: async (app) => {
      app.go("goals");
      unfold(await shown("filter-folder"));
      return shown("menu-filter-folder-/home/ada/infra");
    },
  },
  "goals-no-match": {
    before: () => localStorage.setItem("goalpost.goal-filter", JSON.stringify({ status: "done", folders: ["/srv"] })),
    after: (app) => {
      app.go("goals");
      return shown("goal-list-empty");
    },
  },
  "goals-search": {
    options: { finish: true },
    after: async (app) => {
      app.go("goals");
      enter(await shown("goal-search"), "cart");
      return shown("search-hit");
    },
  },
  digest: {
    options: { finish: true },
    after: (app) => {
      app.goals.showDigest(new Date("2026-03-13T18:00:00Z"));
      return shown("digest");
    },
  },
  schedules: { after: (app) => app.go("schedules") },
  "schedules-failed": {
    after: (app) => {
      app.set({ schedule: "01m0schedule00000flaky003" });
      app.go("schedules");
    },
  },
  "schedules-empty": {
    before: (b) => {
      b.schedules.list = [];
    },
    after: (app) => app.go("schedules"),
  },
  "schedule-goal": {
    after: async (app) => {
      app.go("schedules");
      await press("schedule-goal");
      return shown("new-goal");
    },
  },
  "schedule-times": {
    after: async (app) => {
      app.go("schedules");
      await press("schedule-edit");
    },
  },
  "goals-done": { options: { finish: true }, after: (app) => app.openGoal(livelyId) },
  "goal-result": { after: (app) => app.openGoal(done) },
  "goal-result-open": {
    after: (app) => {
      app.openGoal(done);
      return press("result-more");
    },
  },
  "goal-result-drawer": { after: (app) => app.watchGoal(done) },
  "goal-transcript": {
    options: { finish: true },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-transcript");
      return shown("transcript-entry");
    },
  },
  "goal-transcript-search": {
    options: { finish: true },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-transcript");
      await shown("transcript-entry");
      enter(await shown("transcript-search"), "total");
      return shown("transcript-entry");
    },
  },
  "goal-plots": {
    options: { finish: true },
    before: (b) => {
      b.plots = dayOfPlots;
    },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-plots");
      return shown("plot-tokens-drawn");
    },
  },
  "goal-plots-time": {
    options: { finish: true },
    before: (b) => {
      b.plots = dayOfPlots;
    },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-plots");
      const plot = await shown("plot-context-drawn");
      await drawn('[data-testid="plot-context-drawn"] canvas');
      plot.focus();
      for (let i = 0; i < 30; i++) {
        plot.dispatchEvent(new KeyboardEvent("keydown", { code: "ArrowLeft", bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      (await shown("plot-time-drawn")).scrollIntoView({ block: "end" });
      return shown("plot-context-drawn-value");
    },
  },
  "goals-spend": {
    after: async (app) => {
      app.go("goals");
      await press("spend-open");
      return shown("plot-days-drawn");
    },
  },
  "goals-figures": {
    after: async (app) => {
      app.go("goals");
      await press("figures-open");
      return shown("figures-dialog");
    },
  },
  "goal-plots-table": {
    options: { finish: true },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-plots");
      return press("plot-spend-table");
    },
  },
  "goal-plots-empty": {
    before: (b) => {
      const none = { passing: [], spend: [], rate: [], context: [], times: [] };
      b.plots = { ...none, checks: 1, rate_ms: 60_000, guessed: false };
    },
    after: async (app) => {
      app.openGoal(livelyId);
      await press("story-plots");
      return shown("plot-tokens-empty");
    },
  },
  "goal-step-edit": { options: { finish: true }, after: (app) => app.openStep(livelyId, 10) },
  "goal-step-command": { options: { finish: true }, after: (app) => app.openStep(livelyId, 3) },
  "goal-step-click": { options: { finish: true }, after: (app) => app.openStep(livelyId, 12) },
  "goal-undone": { after: (app) => undone(app, () => app.openGoal(done)) },
  "goal-undone-drawer": { after: (app) => undone(app, () => app.watchGoal(done)) },
  "goal-gave-up": { after: (app) => app.openGoal("01m0gaveup00000000000000g7") },
  "goal-limit-drawer": { after: (app) => app.watchGoal("01m0limit000000000000000f6") },
  "goal-changes": {
    after: (app) => {
      app.openGoal(done);
      return press("story-changes");
    },
  },
  "goal-changes-binary": {
    after: async (app) => {
      app.openGoal(done);
      await press("story-changes");
      const files = (await shown("changes-files")).querySelectorAll<HTMLElement>("[data-testid=changes-file]");
      files[3]?.click();
    },
  },
  "goal-changes-undo": {
    after: async (app) => {
      app.openGoal(done);
      await press("story-changes");
      await shown("changes-files");
      return press("undo-all");
    },
  },
  "goal-changes-empty": {
    before: (b) => {
      b.changes = { ...b.changes, files: [], left_out: [], undone: true, can_redo: true };
    },
    after: (app) => {
      app.openGoal(done);
      return press("story-changes");
    },
  },
  "goals-replay": {
    options: { finish: true },
    after: (app) => {
      app.openGoal(livelyId);
      return press("story-replay").then(() => press("replay-after", 8));
    },
  },
  "goals-replay-page": {
    options: { finish: true },
    after: (app) => {
      app.openGoal(livelyId);
      return press("story-replay").then(() => press("replay-after", 13));
    },
  },
  "goals-replay-empty": {
    after: (app) => {
      app.openGoal(done);
      return press("story-replay");
    },
  },
  "goals-long": { after: (app) => app.openGoal("01m0running00000000000000a1") },
  "goals-needs-you": { after: (app) => app.openGoal("01m0needs000000000000000b2") },
  "goals-waits": { after: (app) => app.openGoal("01m0waits00000000000000h8") },
  "goals-protected": {
    before: (b) => void (b.protection = changedProtection),
    after: (app) => {
      const id = "01m0needs000000000000000b2";
      app.openGoal(id);
      app.set({
        protectedChanged: {
          id,
          message: "Protected files changed since the goal paused: tests/cart.test.js, package.json",
          resume: () => Promise.resolve(true),
        },
      });
    },
  },
  "goals-limit": { after: (app) => app.openGoal("01m0limit000000000000000f6") },
  "goals-parked": {
    before: (b) => {
      const parked = b.goals.get("01m0parked00000000000000d4");
      if (parked) parked.view.parked_until = new Date(Date.now() + 134_000).toISOString();
    },
    after: (app) => app.openGoal("01m0parked00000000000000d4"),
  },
  "goals-waiting": {
    before: (b) => {
      const view = b.goals.get("01m0parked00000000000000d4")?.view;
      if (!view) return;
      view.exit = "waiting";
      view.reason = "Waiting: CI of pull request 12 · looks every 1 m";
      view.parked_until = new Date(Date.now() + 7_440_000).toISOString();
    },
    after: (app) => app.openGoal("01m0parked00000000000000d4"),
  },
  "goals-daily-limit": {
    before: (b) => {
      b.spent = 20.31;
      const view = b.goals.get("01m0parked00000000000000d4")?.view;
      if (!view) return;
      view.exit = "daily_limit";
      view.reason = "Today's limit of $20.00 is reached; resumes tomorrow or when you raise it: Settings › Spending";
      const midnight = new Date();
      midnight.setHours(24, 0, 0, 0);
      view.parked_until = midnight.toISOString();
    },
    after: (app) => app.openGoal("01m0parked00000000000000d4"),
  },
  "goals-verified": { after: (app) => app.openGoal(done) },
  "goals-eight-hours": {
    before: (b) => void b.goals.set(longId, longGoal()),
    after: (app) => app.openGoal(longId),
  },
  "goals-receipt": {
    after: (app) => {
      app.openGoal(done);
      return press("receipt-open");
    },
  },
  "goals-menu": {
    after: (app) => {
      app.openGoal(done);
      return shown("goal-more").then(unfold);
    },
  },
  "goals-empty": {
    options: { empty: true },
    after: (app) => {
      app.sync.select("");
      app.go("goals");
    },
  },
  "new-goal": {
    before: () =>
      localStorage.setItem(
        "goalpost.new-goal",
        JSON.stringify({
          objective: "Run the test suite, find the failure, fix it, and repeat until it is green",
          checks: [{ command: "npm test", exitCode: "0", dir: "" }],
          dir: "/home/ada/shop",
          usd: 5,
        }),
      ),
    after: (app) => app.toggleGoals(),
  },
  "new-goal-tried": {
    before: () =>
      localStorage.setItem(
        "goalpost.new-goal",
        JSON.stringify({
          objective: "Make coupon codes work at checkout",
          checks: [{ command: "npm test", exitCode: "0", dir: "" }],
          dir: "/home/ada/shop",
        }),
      ),
    after: async (app) => {
      app.toggleGoals();
      await press("check-try");
      await press("trace-read-open");
    },
  },
  "new-goal-more": {
    before: () =>
      localStorage.setItem(
        "goalpost.new-goal",
        JSON.stringify({
          objective: "Publish the page",
          checks: [
            { type: "http", url: "http://127.0.0.1:8080/", contains: "Cart" },
            { type: "model_question", question: "Does the page say who sells?", twice: true },
          ],
        }),
      ),
    after: (app) => {
      app.toggleGoals();
      return press("more");
    },
  },
  "new-goal-reach": {
    before: () =>
      localStorage.setItem(
        "goalpost.new-goal",
        JSON.stringify({
          objective: "Move the notes into the new container",
          checks: [{ command: "docker compose ps --status running | grep -q notes", exitCode: "0", dir: "" }],
          allow_write: ["/home/ada/my notes"],
          allow_socket: ["/run/docker.sock"],
          allow_local: [5432],
        }),
      ),
    after: async (app) => {
      app.toggleGoals();
      await press("more");
      (await shown("field-allowWrite")).scrollIntoView({ block: "center" });
    },
  },
  "new-goal-worktree": {
    before: () =>
      localStorage.setItem(
        "goalpost.new-goal",
        JSON.stringify({
          objective: "Repair the cart",
          checks: [{ command: "npm test", exitCode: "0", dir: "" }],
          dir: "/home/ada/shop",
          new_worktree: true,
          engine: "opencode",
        }),
      ),
    after: async (app) => {
      app.toggleGoals();
      await shown("worktree-details");
      await press("say-model");
      await shown("engine-note");
    },
  },
  "new-goal-blank": { after: (app) => app.toggleGoals() },
  steer: {
    after: (app) => {
      app.openGoal(livelyId);
      return shown("goal-steer").then(() => app.set({ steerOpen: true }));
    },
  },
  question: {
    after: (app) => {
      app.go("goals");
      app.goals.delete(done);
    },
  },
  worktrees: {
    after: (app) => {
      app.go("goals");
      app.set({ worktreesOpen: true });
      return shown("worktree");
    },
  },
  launch: {
    after: (app) => {
      app.go("goals");
      app.set({ launchOpen: true });
      return shown("launch-row");
    },
  },
  race: {
    after: (app) => {
      app.go("goals");
      app.set({ race: raceId });
      return shown("race-runner");
    },
  },
  "goal-checks": {
    after: async (app) => {
      app.openGoal(done);
      await press("story-checks");
      await shown("checks-tab");
    },
  },
  approvals: { after: (app) => void app.approvals.open() },
  "approvals-together": {
    before: (b) => {
      const first = b.approvals[1];
      if (!first) return;
      const host = "it needs network access (contacts docs.example); this goal may only change local files";
      const ask = { ...first, tool: "browser_open", risk: "network_get" as const, show: "", why: host };
      b.approvals = [
        "Compare the prices of three shops",
        "Write the release notes",
        "Find out why the build of the documentation fails since Tuesday, and mend it",
      ].map((objective, i) => ({
        ...ask,
        goal_id: `${first.goal_id.slice(0, -1)}${i}`,
        objective,
        arguments: JSON.stringify({ url: `https://docs.example/${i}` }),
        offers: [
          { scope: "once", covers: "once" },
          {
            scope: "host",
            covers:
              "reading from docs.example for this goal (what its programs send there encrypted cannot be inspected)",
          },
        ],
      }));
    },
    after: (app) => app.approvals.open().then(() => press("approval-all")),
  },
  "approvals-empty": {
    before: (b) => {
      b.approvals = [];
      b.grants = [];
    },
    after: (app) => void app.approvals.open(),
  },
  servers: { after: (app) => app.set({ servers: true }) },
  "pane-menu": { after: () => shown("pane-menu").then(unfold) },
  file: {
    before: (b) => {
      b.panes = [filePane("f1", "/home/ada/shop/src/cart.ts")];
    },
    after: () => shown("file"),
  },
  "file-unsaved": {
    before: (b) => {
      b.panes = [filePane("f1", "/home/ada/shop/src/cart.ts")];
      const text = b.fileContent.text.replace("export", "// Prices are in cents.\nexport");
      b.fileDraft = { text, version: "v0", at: at(0) };
    },
    after: () => shown("file-conflict"),
  },
  "file-comparison": {
    before: (b) => {
      b.panes = [filePane("f1", "/home/ada/shop/src/cart.ts")];
      const text = b.fileContent.text.replace("export", "// Prices are in cents.\nexport");
      b.fileDraft = { text, version: "v0", at: at(0) };
    },
    after: async () => {
      (await shown("file-compare")).click();
      return shown("file-conflict");
    },
  },
  "browser-menu": {
    before: (b) => {
      b.panes = [browserPane("b1", { title: "Cardboard Legacy", url: "https://legacy.example.org/cart" })];
    },
    after: () => shown("browser-menu").then(unfold),
  },
  "browser-pinned": {
    before: (b) => {
      const page = (id: string, title: string, part: Partial<PaneInfo>) =>
        browserPane(id, { title, url: "https://legacy.example.org/cart", ...part });
      b.panes = [
        page("b1", "Cardboard Legacy", { icon: icon("#c2410c") }),
        page("b2", "Mail", { icon: icon("#2563eb"), pinned: true }),
        page("b3", "Wiki", { pinned: true, asleep: true }),
      ];
    },
    after: () => shown("page-icon"),
  },
  palette: { after: (app) => app.set({ paletteOpen: true }) },
  "terminal-colors": {
    before: (b) => {
      b.settings.color_scheme = "Solarized Light";
    },
  },
  "settings-colors": {
    before: (b) => {
      b.settings.color_scheme = "Evening shift";
      const message =
        "photo.png cannot be imported: it is neither an XML property list nor YAML with the colors base00 to base0F";
      const hint = "choose an .itermcolors file of iTerm2, or the .yaml file of a base16 or base24 scheme";
      b.refusals.set("SettingsAPI.ImportColorScheme", { code: "invalid", message, hint, field: "file" });
    },
    after: async (app) => {
      app.openSettings("Terminal");
      const input = (await shown("color-scheme-file")) as HTMLInputElement;
      const files = new DataTransfer();
      files.items.add(new File(["x"], "photo.png"));
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      (await shown("error-color-scheme")).scrollIntoView({ block: "center" });
    },
  },
  "settings-profile": {
    after: async (app) => {
      app.openSettings("Terminal profiles");
      (await shown("profile-edit")).click();
      await shown("profile-form");
    },
  },
  "settings-profiles": {
    after: async (app) => {
      app.openSettings("Terminal profiles");
      (await shown("profiles")).scrollIntoView({ block: "center" });
    },
  },
  settings: {
    after: (app) => {
      app.openSettings("Terminal");
      return shown("settings-content");
    },
  },
  "settings-keyboard": {
    before: (b) => {
      b.settings = { ...b.settings, keys: { "pane.split": ["Ctrl+Alt+KeyS"], "browser.new": [] } };
    },
    after: async (app) => {
      app.openSettings("Keyboard");
      await shown("key-row");
      const zoom = document.querySelector<HTMLElement>('[data-id="terminal.new"] [data-testid="key-change"]');
      zoom?.click();
      const field = await shown("key-field");
      const enter = { code: "KeyW", ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true };
      field.dispatchEvent(new KeyboardEvent("keydown", enter));
      (await shown("key-swap")).scrollIntoView({ block: "center" });
    },
  },
  "settings-problems": {
    before: (b) => {
      b.settingsProblems = [
        {
          line: 4,
          column: 18,
          message: "99 is out of range for font size",
          hint: "use 8 to 32. Until then, the default is in effect",
        },
        {
          line: 9,
          column: 5,
          message: '"colour" is not a known key',
          hint: "correct its name or remove it; the keys are in settings.schema.json beside it",
        },
      ];
    },
    after: (app) => {
      app.openSettings("Terminal");
      return shown("settings-problems");
    },
  },
  "settings-search": {
    after: async (app) => {
      app.openSettings("Scrollback");
      enter(await shown("settings-search"), "model");
      await shown("settings-hit");
    },
  },
  "settings-devices": {
    before: (b) => {
      b.settings.share_address = "0.0.0.0:4444";
    },
    after: (app) => {
      app.openSettings("Devices");
      return shown("share-url");
    },
  },
  "settings-device-link": {
    before: (b) => {
      b.settings.share_address = "0.0.0.0:4444";
    },
    after: async (app) => {
      app.openSettings("Devices");
      await press("device-add");
      return shown("device-link");
    },
  },
  "settings-webhooks": {
    after: async (app) => {
      app.openSettings("Notifications");
      await press("webhook-test");
      return shown("webhook-result");
    },
  },
  "settings-webhook": {
    after: (app) => {
      app.openSettings("Notifications");
      return press("webhook-add");
    },
  },
  "settings-mcp": {
    after: (app) => {
      app.openSettings("MCP servers");
      return press("mcp-tools").then((b) => b.scrollIntoView());
    },
  },
  "settings-refused": {
    before: (b) => {
      const message = "/home/ada/.zig is not there";
      const hint = "install it first, or remove it from the list";
      b.refusals.set("SettingsAPI.Save", { code: "invalid", message, hint, field: "toolchains" });
    },
    after: async (app) => {
      app.openSettings("Goals");
      enter(await shown("toolchains"), "/home/ada/.zig");
      (await shown("error-toolchains")).scrollIntoView({ block: "center" });
    },
  },
  "connect-choose": {
    after: (app) => {
      app.openSettings("Models");
      return press("provider-add");
    },
  },
  "connect-model": {
    after: async (app) => {
      app.providers.openConnect({ preset: "anthropic" });
      await press("connect-env");
      return shown("connect-model");
    },
  },
  "connect-model-error": {
    before: (b) => {
      b.connectionTest = structuredClone(rejectedKey);
    },
    after: async (app) => {
      app.providers.openConnect({ preset: "openai" });
      await press("connect-test");
      return shown("connect-status");
    },
  },
  "settings-models": {
    after: async (app) => {
      app.openSettings("Models");
      (await shown("provider-offer")).scrollIntoView({ block: "center" });
    },
  },
  "new-goal-suggest": {
    after: async (app) => {
      app.toggleGoals();
      const set = (field: HTMLElement, text: string) => {
        const proto = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
        Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(field, text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
      set(await shown("field-objective"), "Make coupon codes work at checkout. A code counts once per cart.");
      set(await shown("field-dir"), "/home/ada/shop");
      await press("suggest-checks");
      return shown("suggestions-useless");
    },
  },
  "settings-engines": {
    after: async (app) => {
      app.openSettings("Engines");
      (await press("engine-test")).scrollIntoView({ block: "center" });
      return shown("engine-result");
    },
  },
  "settings-spend": {
    after: async (app) => {
      app.openSettings("Spending");
      (await press("spend-by-goal")).click();
      await new Promise((ready) => setTimeout(ready, 50));
      (await shown("spend-table")).scrollIntoView({ block: "center" });
    },
  },
  "settings-secret": {
    after: (app) => {
      app.openSettings("Secrets and logins");
      return press("secret-add");
    },
  },
  "settings-server": {
    after: (app) => {
      app.openSettings("MCP servers");
      return press("mcp-add");
    },
  },
  welcome: {
    options: { empty: true },
    before: (b) => {
      b.settings.welcomed = false;
    },
    after: (app) => app.sync.select(""),
  },
  "page-prompts": {
    before: (b) => {
      b.panes = [browserPane("b1", { title: "Cardboard Legacy", url: "https://legacy.example.org/cart" })];
    },
    after: async (app, bridge) => {
      app.set({ drawer: false });
      await shown("browser-canvas");
      bridge.showOverlay({ questions: [saveLogin] });
      await shown("save-login");
      bridge.showOverlay({ downloads: [download] });
      return shown("downloads");
    },
  },
  ...chatScenes(),
  login: { after: (app) => shown("pane").then(() => app.set({ link: "login" })) },
  down: { after: (app) => shown("pane").then(() => app.set({ link: "down" })) },
  toast: {
    after: (app) => {
      app.notices.done("Pausing after the current step…");
      app.notices.problem({
        code: "unavailable",
        message: "Chromium was not found",
        hint: "install it: sudo apt install chromium",
        field: "",
      });
    },
  },
  "toast-whole": {
    after: async (app) => {
      const line = "[1:1:1129/190936.1:ERROR:dbus/bus.cc(406)] Failed to connect to the bus: no such file";
      const message = `open browser: Chromium ended: its output: ${Array.from({ length: 24 }, () => line).join(" ")}`;
      app.notices.problem({ code: "internal", message, hint: "", field: "" });
      (await drawn("[data-sonner-toast] [data-button]")).click();
    },
  },
};
