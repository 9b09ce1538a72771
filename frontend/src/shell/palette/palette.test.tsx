import { act } from "@/testing/act";
import { useMemo } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { terminalPane } from "@/bridge/fake/fixtures";
import { WorkspaceControl } from "@/panes/control";
import { ControlContext } from "@/panes/context";
import { pages } from "@/features/settings/pages";
import { settingsPlaces } from "@/features/settings/places";
import { SettingsPage } from "@/features/settings/page";
import { buildCommands } from "@/shell/actions";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { flushAll, mount, press, until, write } from "@/testing/mount";
import { Palette } from "./palette";

const shownPanes: string[] = [];
const focused = terminalPane("t1", { title: "zsh", dir: "/home/ada/shop" });

function Window() {
  const app = useApp();
  const route = useAppState((s) => s.route);
  const control = useMemo(() => {
    const c = new WorkspaceControl(app);
    vi.spyOn(c, "activePane", "get").mockReturnValue(focused);
    vi.spyOn(c, "show").mockImplementation((id) => shownPanes.push(id));
    return c;
  }, [app]);
  const actions = useMemo(() => buildCommands(app, control), [app, control]);
  return (
    <ControlContext value={control}>
      {route === "settings" ? <SettingsPage /> : null}
      <Palette actions={actions} />
    </ControlContext>
  );
}

beforeEach(() => {
  localStorage.clear();
  shownPanes.length = 0;
});

async function open(bridge = new FakeBridge()) {
  bridge.panes = [focused, terminalPane("t2", { title: "logs" })];
  const { app } = await mount(<Window />, bridge, (a) => a.start());
  await until(() => expect(app.state.goals.loaded && app.state.panes.loaded).toBe(true));
  await show(app);
  return { app, bridge };
}

async function show(app: App) {
  act(() => app.set({ paletteOpen: true }));
  await until(() =>
    expect(document.querySelector("[data-kind=help]") ?? document.querySelector("[cmdk-item]")).not.toBeNull(),
  );
}

const lines = () => [...document.querySelectorAll<HTMLElement>("[cmdk-item]")];
const titles = () => lines().map((l) => l.querySelector("span")?.textContent);
const selected = () => document.querySelector("[cmdk-item][aria-selected=true]");

/** The first line for typed words, which Enter runs. */
async function first(typed: string) {
  write("palette-input", typed);
  await flushAll();
  await until(() => expect(selected()).toBe(lines()[0]));
  return `${lines()[0]?.dataset.kind}: ${titles()[0]}`;
}

test("twenty words find what a user means by them, first", async () => {
  await open();
  await until(async () => expect(await first("sandbox")).toMatch(/^help: /));
  const wanted: Record<string, string> = {
    ssh: "action: SSH connections",
    theme: "setting: Theme",
    undo: "action: Review the selected goal's changes",
    model: "action: Connect a model",
    keyboard: "setting: Keyboard",
    "new goal": "action: New goal",
    terminal: "action: New terminal",
    browser: "action: New browser",
    split: "action: Split the pane",
    dark: "action: Dark theme",
    settings: "action: Settings",
    spending: "setting: Spending",
    mcp: "setting: MCP servers",
    notifications: "setting: Notifications",
    password: "setting: Secrets and logins",
    invoices: "goal: Export last month's invoices as PDF",
    "suite cart": "goal: Bring the flaky cart suite to green, ten runs in a row",
    logs: "pane: logs",
    "edge-1": "server: edge-1",
    qwen: "model: qwen3-coder",
    "cart.ts": "file: src/cart.ts",
    sandbox: "help: Permissions and the sandbox, in plain words",
    kybord: "setting: Keyboard",
    approve: "action: Approvals",
    stop: "action: Pause the selected goal",
  };
  const found: Record<string, string> = {};
  for (const word of Object.keys(wanted)) found[word] = await first(word);
  expect(found).toEqual(wanted);
});

test("a prefix keeps one kind: > actions, @ goals, # panes, / files", async () => {
  await open();
  for (const [prefix, kind] of [
    [">", "action"],
    ["@", "goal"],
    ["#", "pane"],
    ["/", "file"],
  ] as const) {
    write("palette-input", prefix);
    await until(() => {
      expect(lines().length).toBeGreaterThan(1);
      expect(new Set(lines().map((l) => l.dataset.kind))).toEqual(new Set([kind]));
    });
  }
  expect(await first("#log")).toBe("pane: logs");
  await press(lines()[0] as HTMLElement);
  await until(() => expect(shownPanes).toEqual(["t2"]));
});

test("@ also finds what goals said and did, after the goals, and shows the step", async () => {
  const { app } = await open(new FakeBridge({ finish: true }));
  write("palette-input", "@read_file cart");
  await until(() => expect(lines().map((l) => l.textContent)).toContainEqual(expect.stringContaining("ran · step")));
  const hit = lines().find((l) => l.textContent.includes("ran · step"));
  const step = Number(/step (\d+)/.exec(hit?.textContent ?? "")?.[1]);
  await press(hit as HTMLElement);
  await until(() => expect([app.state.route, app.state.shownStep]).toEqual(["goals", step]));
  expect(localStorage.getItem("goalpost.palette") ?? "").not.toContain("hit:");
});

test("what was used last comes first when the palette opens again, and a little before equal matches", async () => {
  const { app } = await open();
  expect(await first("light theme")).toBe("action: Light theme");
  await press(lines()[0] as HTMLElement);
  await until(() => expect(app.state.settings?.theme).toBe("light"));
  await show(app);
  expect(titles()[0]).toBe("Light theme");
  expect(lines()[0]?.textContent).toContain("Recent");
  expect(await first("them")).toBe("action: Light theme");
});

test("a file of the focused terminal's folder opens in a pane", async () => {
  const { bridge } = await open();
  await until(async () => expect(await first("/main")).toBe("file: src/main.ts"));
  await press(lines()[0] as HTMLElement);
  await until(() =>
    expect(bridge.calls.find((c) => c.method === "FileAPI.Open")?.args).toEqual([
      { dir: "/home/ada/shop", path: "src/main.ts" },
    ]),
  );
});

test("each page, section and row of the settings can be found, and is shown, marked and focused", async () => {
  const { app } = await open();
  expect(await first("scrollback")).toBe("setting: Scrollback");
  await press(lines()[0] as HTMLElement);
  await until(() => expect(document.querySelector("[data-marked]")?.textContent).toContain("Scrollback"));
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Scrollback");
  expect(app.state.paletteOpen).toBe(false);
  const listed = settingsPlaces.map((p) => p.title);
  expect(new Set(listed).size, "two places have one title").toBe(listed.length);
  const onPages: (string | null | undefined)[] = [];
  for (const page of pages) {
    act(() => app.openSettings(page.title));
    await flushAll();
    const places = [...document.querySelectorAll<HTMLElement>("h1, h2, [data-setting]")];
    onPages.push(...places.map((e) => e.dataset.setting ?? e.textContent));
  }
  expect(new Set(onPages)).toEqual(new Set(listed));
});
