import { beforeEach, expect, test, vi } from "vitest";
import type { FakeBridge } from "@/bridge/fake/bridge";
import type { MCPServer } from "@/bridge/types";
import { all, mount, nth, press, until, write } from "@/testing/mount";
import { MCPServers } from "./mcpservers";

let bridge: FakeBridge;

beforeEach(async () => {
  ({ bridge } = await mount(<MCPServers />));
});

const saved = () => bridge.calls.filter((c) => c.method === "MCPAPI.Save").map((c) => c.args[0] as MCPServer);

test("each server says what it is, how many tools it has, and which was never asked", () => {
  const [notes, issues] = all("mcp-server").map((el) => el.textContent);
  expect(notes).toContain("3 tools");
  expect(notes).toContain("notes-mcp --folder .");
  expect(issues).toContain("not tested");
});

test("a test shows the tools and as what a call of each counts", async () => {
  expect(all("mcp-tool-list")).toHaveLength(0);
  await press(nth(all("mcp-test"), 0));
  const text = all("mcp-tool-list")[0]?.textContent ?? "";
  expect(text).toContain("add_note");
  expect(text).toContain("change files");
});

test("a start that is not over shows how it goes, and where to log in", async () => {
  const server = nth(bridge.mcpServers, 1);
  server.headers = [];
  let done: () => void = () => undefined;
  const call = (...[method]: Parameters<FakeBridge["call"]>) =>
    method === "MCPAPI.List"
      ? Promise.resolve(structuredClone(bridge.mcpServers))
      : new Promise((ok) => (done = () => ok(server)));
  vi.spyOn(bridge, "call").mockImplementation(call as FakeBridge["call"]);
  await press(nth(all("mcp-test"), 1));
  server.progress = "starting since 3 of at most 30 s; its last output: indexing";
  await until(() => expect(all("mcp-progress")[0]?.textContent).toContain("its last output: indexing"));
  server.login_address = "https://login.example.org/authorize?x=1";
  await until(() => expect(all("mcp-login-address")[0]?.querySelector("a")?.href).toBe(server.login_address));
  expect(nth(all("mcp-test"), 1).textContent).toBe("Testing…");
  done();
  await until(() => expect(nth(all("mcp-test"), 1).textContent).toBe("Test"));
  expect(all("mcp-note")[0]?.textContent).toContain("Notes 1.4 is ready");
});

test("a program is saved with one argument a line, and without an address", async () => {
  await press(nth(all("mcp-add"), 0));
  write("mcp-name", "files");
  write("mcp-command", "files-mcp");
  write("mcp-args", "--root\n/my folder\n\n");
  write("mcp-env", "TOKEN=x y");
  write("mcp-read", "/home/me/files-mcp");
  write("mcp-start_seconds", "90");
  await press(nth(all("mcp-save"), 0));
  expect(saved()[0]).toMatchObject({
    name: "files",
    command: "files-mcp",
    args: ["--root", "/my folder"],
    env: ["TOKEN=x y"],
    read: ["/home/me/files-mcp"],
    start_seconds: 90,
    url: "",
    headers: [],
  });
  expect(all("mcp-form")).toHaveLength(0);
  expect(all("mcp-server")).toHaveLength(3);
});

test("a refusal is at its field, and what was written stays", async () => {
  vi.spyOn(bridge, "call").mockRejectedValue({
    code: "refused",
    message: "cannot be a name",
    hint: "use small letters",
    field: "name",
  });
  await press(nth(all("mcp-add"), 0));
  write("mcp-name", "Bad Name");
  await press(nth(all("mcp-save"), 0));
  expect(all("error-mcp-name")[0]?.textContent).toContain("cannot be a name");
  expect(document.querySelector<HTMLInputElement>('[data-testid="mcp-name"]')?.value).toBe("Bad Name");
});
