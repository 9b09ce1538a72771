import type { FakeBridge, FakeOptions } from "@/bridge/fake/bridge";
import { browserPane, terminalPane } from "@/bridge/fake/seed";
import type { App } from "@/store/app";

export interface Scene {
  world?: FakeOptions;
  before?: (bridge: FakeBridge) => void;
  after?: (app: App, bridge: FakeBridge) => void;
}

const done = "01m0done0000000000000000e5";

/** The states that are worth looking at, by name. */
export const scenes: Record<string, Scene> = {
  workspace: {},
  "workspace-empty": {
    world: { empty: true },
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
          title: "A page with a very long title that says more than there is room for in a tab of this width",
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
  goals: { after: (app) => app.go("goals") },
  "goals-done": { world: { finish: true }, after: (app) => app.go("goals") },
  "goals-long": { after: (app) => app.openGoal("01m0running00000000000000a1") },
  "goals-needs-you": { after: (app) => app.openGoal("01m0needs000000000000000b2") },
  "goals-waits": { after: (app) => app.openGoal("01m0waits00000000000000h8") },
  "goals-limit": { after: (app) => app.openGoal("01m0limit000000000000000f6") },
  "goals-parked": {
    before: (b) => {
      const parked = b.goals.get("01m0parked00000000000000d4");
      if (parked) parked.view.parked_until = new Date(Date.now() + 134_000).toISOString();
    },
    after: (app) => app.openGoal("01m0parked00000000000000d4"),
  },
  "goals-verified": { after: (app) => app.openGoal(done) },
  "goals-empty": {
    world: { empty: true },
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
          usd: "5.00",
        }),
      ),
    after: (app) => app.toggleGoals(),
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
      setTimeout(() => document.querySelector<HTMLElement>('[data-testid="more"]')?.click(), 200);
    },
  },
  "new-goal-blank": { after: (app) => app.toggleGoals() },
  steer: {
    after: (app) => {
      app.go("goals");
      setTimeout(() => app.set({ steerOpen: true }), 200);
    },
  },
  question: {
    after: (app) => {
      app.go("goals");
      app.deleteGoal(done);
    },
  },
  approvals: { after: (app) => void app.openApprovals() },
  "approvals-empty": {
    before: (b) => {
      b.approvals = [];
      b.grants = [];
    },
    after: (app) => void app.openApprovals(),
  },
  palette: { after: (app) => app.set({ paletteOpen: true }) },
  settings: { after: (app) => app.go("settings") },
  "settings-mcp": {
    after: (app) => {
      app.go("settings");
      queueMicrotask(() => {
        const look = () => {
          const button = document.querySelector<HTMLElement>('[data-testid="mcp-tools"]');
          if (!button) return requestAnimationFrame(look);
          button.click();
          button.scrollIntoView();
        };
        requestAnimationFrame(look);
      });
    },
  },
  welcome: {
    world: { empty: true },
    before: (b) => {
      b.settings.welcomed = false;
    },
    after: (app) => app.sync.select(""),
  },
  login: { after: (app) => setTimeout(() => app.set({ link: "login" }), 50) },
  down: { after: (app) => setTimeout(() => app.set({ link: "down" }), 50) },
  toast: {
    after: (app) => {
      app.notices.done("It pauses after the step it is in");
      app.notices.problem({
        code: "unavailable",
        message: "Chromium was not found",
        hint: "install it: sudo apt install chromium",
        field: "",
      });
    },
  },
};
