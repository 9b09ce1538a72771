import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { flushAll, get, mount, press, until, write } from "@/testing/mount";
import { Library } from "./library";

const row = (id: string) => document.querySelector<HTMLElement>(`[data-testid="library-entry"][data-id="${id}"]`);
const click = async (id: string, control: string) => {
  row(id)?.querySelector<HTMLElement>(`[data-testid="${control}"]`)?.setAttribute("data-testid", `the-${control}`);
  await press(`the-${control}`);
};

test("an entry is trusted only after its text was shown, and says why it cannot be used", async () => {
  const bridge = new FakeBridge();
  await mount(<Library />, bridge);
  expect(row("built_in/engineer")?.textContent).toContain("built in");
  expect(row("user/invoices")?.textContent).toContain("it has no description");
  expect(row("project/deploy")?.textContent).toContain("not trusted");
  expect(document.querySelector('[data-testid="entry-trust"]')).toBeNull();
  await click("project/deploy", "entry-show");
  await press("entry-trust");
  const trusted = bridge.calls.find((c) => c.method === "LibraryAPI.Trust");
  expect(trusted?.args[1]).toContain("You work as deploy.");
  expect(row("project/deploy")?.textContent).not.toContain("not trusted");
});

test("a new entry is checked while it is written, saved and deleted", async () => {
  const bridge = new FakeBridge();
  await mount(<Library />, bridge);
  await press("new-persona");
  write("library-name", "lawyer");
  await flushAll();
  write("library-text", "no front matter");
  await flushAll();
  expect(get("library-form").textContent).toContain("front matter");
  write("library-text", "---\nname: lawyer\n---\nYou are a lawyer.");
  await flushAll();
  expect(get("library-form").textContent).not.toContain("does not begin");
  await press("library-save");
  expect(row("user/lawyer")).not.toBeNull();
  await click("user/lawyer", "entry-delete");
  expect(row("user/lawyer")).toBeNull();
});

test("what is built in is copied under another name", async () => {
  const bridge = new FakeBridge();
  await mount(<Library />, bridge);
  await click("built_in/engineer", "entry-duplicate");
  write("library-name", "mine");
  await flushAll();
  await press("library-save");
  expect(row("user/mine")).not.toBeNull();
  expect(bridge.calls.find((c) => c.method === "LibraryAPI.Duplicate")?.args[1]).toBe("mine");
});

test("a recipe is shown with its steps, deleted and restored", async () => {
  await mount(<Library />, new FakeBridge());
  expect(get("recipe").textContent).toContain("3 steps: browser_navigate");
  expect(get("recipe").textContent).toContain("needs user");
  await press("recipe-show");
  expect(get("recipe").textContent).toContain("name: log-in");
  await press("recipe-delete");
  expect(document.querySelector('[data-testid="recipe"]')).toBeNull();
  expect(get("library-recipe").textContent).toContain("No recipes yet");
});

test("the files of the last folder are listed, and then those of the one that is chosen", async () => {
  const bridge = new FakeBridge();
  await mount(<Library />, bridge);
  const listed = () => bridge.calls.filter((c) => c.method === "LibraryAPI.List").at(-1)?.args[0];
  const field = () => document.querySelector<HTMLInputElement>('[data-testid="field-library-dir"]')?.value;
  await until(() => Boolean(listed()));
  expect(field()).toBe(listed());
  write("field-library-dir", "/home/ada/elsewhere");
  await until(() => listed() === "/home/ada/elsewhere");
});
