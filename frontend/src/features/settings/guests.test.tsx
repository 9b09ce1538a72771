import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { MCPServer } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { Guests } from "./guests";

let root: Root;
let bridge: FakeBridge;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  bridge = new FakeBridge();
  const app = new App(bridge, { problem: () => undefined, done: () => undefined });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <AppContext value={app}>
        <Guests />
      </AppContext>,
    );
    await Promise.resolve();
  });
});

afterEach(() => {
  act(() => root.unmount());
  document.body.replaceChildren();
});

const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

async function press(el: HTMLElement | undefined) {
  await act(async () => {
    el?.click();
    await new Promise((r) => setTimeout(r));
  });
}

function write(id: string, value: string) {
  const el = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[data-testid="${id}"]`);
  if (!el) throw new Error(`no ${id}`);
  const proto = el instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  act(() => {
    Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(el, value);
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const saved = () => bridge.calls.filter((c) => c.method === "MCPAPI.Save").map((c) => c.args[0] as MCPServer);

test("each server says what it is, how many tools it has, and which was never asked", () => {
  const [notes, issues] = all("mcp-server").map((el) => el.textContent);
  expect(notes).toContain("3 tools");
  expect(notes).toContain("notes-mcp --folder .");
  expect(issues).toContain("not asked yet");
});

test("a test shows the tools and as what a call of each counts", async () => {
  expect(all("mcp-tool-list")).toHaveLength(0);
  await press(all("mcp-test")[0]);
  const text = all("mcp-tool-list")[0]?.textContent ?? "";
  expect(text).toContain("add_note");
  expect(text).toContain("write local");
});

test("a program is saved with one argument a line, and without an address", async () => {
  await press(all("mcp-add")[0]);
  write("mcp-name", "files");
  write("mcp-command", "files-mcp");
  write("mcp-args", "--root\n/my folder\n\n");
  write("mcp-env", "TOKEN=x y");
  await press(all("mcp-save")[0]);
  expect(saved()[0]).toMatchObject({
    name: "files",
    command: "files-mcp",
    args: ["--root", "/my folder"],
    env: ["TOKEN=x y"],
    url: "",
    headers: [],
  });
  expect(all("mcp-form")).toHaveLength(0);
  expect(all("mcp-server")).toHaveLength(3);
});

test("a refusal stands at its field, and what was written stays", async () => {
  vi.spyOn(bridge, "call").mockRejectedValue({
    code: "refused",
    message: "cannot be a name",
    hint: "use small letters",
    field: "name",
  });
  await press(all("mcp-add")[0]);
  write("mcp-name", "Bad Name");
  await press(all("mcp-save")[0]);
  expect(all("error-mcp-name")[0]?.textContent).toContain("cannot be a name");
  expect(document.querySelector<HTMLInputElement>('[data-testid="mcp-name"]')?.value).toBe("Bad Name");
});
