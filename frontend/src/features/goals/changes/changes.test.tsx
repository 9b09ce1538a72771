import { act } from "@/testing/act";
import { beforeAll, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { App } from "@/store/app";
import { useAppState } from "@/store/context";
import { all, find, get, mount, press, until } from "@/testing/mount";
import { changedPart, pairLines, parseHunks } from "./hunks";
import { withoutWhitespace } from "./whitespace";
import { highlight, languageOf } from "./highlight";
import Changes from "./changes";

const done = "01m0done0000000000000000e5";
let bridge: FakeBridge;
let app: App;

function Selected() {
  const view = useAppState((s) => s.detail.view);
  return view ? <Changes key={view.id} view={view} before={null} /> : null;
}

// The module is loaded when it is first needed, which is slow on a busy machine.
beforeAll(() => import("./highlight"));

async function show(prepare?: (b: FakeBridge) => void) {
  const b = new FakeBridge({ finish: true });
  prepare?.(b);
  ({ app, bridge } = await mount(<Selected />, b, (a) => a.start()));
  act(() => app.sync.select(done));
}

const undoCalls = () =>
  bridge.calls.filter((c) => c.method === "ChangesAPI.Undo").map((c) => c.args[1] as { dry_run: boolean });

test("files are listed with their counts and marks, and one of them is shown", async () => {
  await show();
  await until(() => expect(all("changes-file")).toHaveLength(6));
  expect(all("changes-file").map((f) => f.dataset.change)).toEqual([
    "changed",
    "new",
    "changed",
    "changed",
    "changed",
    "deleted",
  ]);
  expect(get("changes-total").textContent).toBe("6 files changed+63 −17");
  expect(all("changes-file")[0]?.textContent).toContain("Read by the check");
  expect(get("changes-protected").textContent).toContain("checkout.spec.ts");
  await until(() => expect(all("diff-line").length).toBeGreaterThan(5));
  expect(get("changes-pane").dataset.path).toBe("cart/cart.go");
  act(() => {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "]", cancelable: true }));
  });
  expect(get("changes-pane").dataset.path).toBe("cart/coupon.go");
});

test("an undo lists what it does and what it leaves alone, and overwrites only what is ticked", async () => {
  await show();
  await until(() => expect(find("undo-all")?.hasAttribute("disabled")).toBe(false));
  await press("undo-all");
  await until(() => expect(find("undo-conflicts")).not.toBeNull());
  expect(get("undo-list").textContent).toContain("cart/coupon.go");
  expect(get("undo-list").textContent).not.toContain("web/cart.css");
  expect(get("undo-conflicts").textContent).toContain("edited later, not by this goal");
  await press("undo-confirm");
  await until(() => expect(find("undo-dialog")).toBeNull());
  expect(undoCalls().map((c) => c.dry_run)).toEqual([true, false]);
  await until(() => expect(all("changes-file").map((f) => f.dataset.path)).toEqual(["web/cart.css"]));
  await until(() => expect(get("changes-undone").textContent).toContain("5 files undone: checks fail"));
  await press("redo");
  await until(() => expect(find("undo-list")).not.toBeNull());
  await press("undo-confirm");
  await until(() => expect(all("changes-file")).toHaveLength(6));
});

test("one file is undone at once, the checks run again, and the undo can be undone", async () => {
  const offers: { text: string; action?: { label: string; run: () => void } | undefined }[] = [];
  await show((b) => {
    b.changes.files = (b.changes.files ?? []).map((f) => ({ ...f, edited_since: f.path === "web/cart.css" }));
  });
  app.notices.done = (text, action) => void offers.push({ text, action });
  await until(() => expect(find("undo-file")?.hasAttribute("disabled")).toBe(false));
  await press("undo-file");
  await until(() => expect(all("changes-file")).toHaveLength(5));
  expect(find("undo-dialog")).toBeNull();
  expect(undoCalls()).toMatchObject([{ paths: ["cart/cart.go"], dry_run: false }]);
  await until(() => expect(bridge.calls.filter((c) => c.method === "GoalAPI.Recheck")).toHaveLength(1));
  expect(offers[0]?.text).toContain("1 file restored");
  act(() => offers[0]?.action?.run());
  await until(() => expect(all("changes-file")).toHaveLength(6));
  // The user is asked first about a file that another program changed since.
  act(() => get("changes-files").querySelector<HTMLElement>('[data-path="web/cart.css"]')?.click());
  await press("undo-file");
  await until(() => expect(find("undo-dialog")).not.toBeNull());
});

test("E opens the user's editor for a text that is there; the keys of the goal list do not get J and K", async () => {
  await show();
  await until(() => expect(all("changes-file")).toHaveLength(6));
  const taken: string[] = [];
  const after = (e: KeyboardEvent) => {
    if (e.defaultPrevented) taken.push(e.key);
  };
  window.addEventListener("keydown", after);
  for (const key of ["j", "k", "x"]) {
    act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true })));
  }
  window.removeEventListener("keydown", after);
  expect(taken).toEqual(["j", "k"]);
  act(() => all("changes-file")[5]?.click()); // deleted
  expect(find("edit-file")).toBeNull();
  act(() => all("changes-file")[0]?.click());
  act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { key: "e", cancelable: true })));
  await until(() =>
    expect(bridge.calls.filter((c) => c.method === "ChangesAPI.Edit").map((c) => c.args[1])).toEqual(["cart/cart.go"]),
  );
  await until(() => expect(app.state.route).toBe("workspace"));
});

test("a running goal is not undone", async () => {
  await show((b) => {
    b.changes.running = true;
  });
  await until(() => expect(all("changes-file")).toHaveLength(6));
  expect(get("undo-all").hasAttribute("disabled")).toBe(true);
  expect(get("undo-file").hasAttribute("disabled")).toBe(true);
});

test("a goal without snapshots says why", async () => {
  await show((b) => {
    b.changes = { ...b.changes, files: [], unavailable: "This goal may only read." };
  });
  await until(() => expect(find("changes-empty")?.textContent).toBe("This goal may only read."));
});

test("binary files show their sizes and pictures", async () => {
  await show();
  await until(() => expect(all("changes-file")).toHaveLength(6));
  act(() => all("changes-file")[3]?.click());
  await until(() => expect(find("diff-binary")).not.toBeNull());
  expect(get("diff-binary").querySelectorAll("img")).toHaveLength(2);
  expect(get("diff-binary").textContent).toContain("9f9f");
});

test("hunks become lines with their numbers, side by side", () => {
  const lines = parseHunks("@@ -3,3 +3,4 @@\n a\n-b\n+B\n+c\n d\n\\ No newline at end of file\n");
  expect(lines.map((l) => `${l.kind} ${l.was} ${l.is} ${l.text}`)).toEqual([
    "hunk 3 3 @@ -3,3 +3,4 @@",
    "same 3 3 a",
    "del 4 0 b",
    "add 0 4 B",
    "add 0 5 c",
    "same 5 6 d",
    "note 0 0 No newline at end of file",
  ]);
  const pairs = pairLines(lines).map((p) => `${p.left?.text ?? "-"}|${p.right?.text ?? "-"}`);
  expect(pairs.slice(1)).toEqual(["a|a", "b|B", "-|c", "d|d"]);
  expect(changedPart("total = off(a)", "total = off(b)")).toEqual({ was: [12, 13], is: [12, 13] });
  expect(changedPart("abc", "xyz")).toBeNull();
});

test("lines that differ in white space alone count as the same, and hunks without anything else are left out", () => {
  const lines = parseHunks(
    "@@ -1,3 +1,4 @@\n-if (a) {\n-  b();\n-}\n+if (a) {  \n+\tb();\n+\tc();\n+}\n@@ -9,1 +10,1 @@\n-x  = 1\n+x = 1\n",
  );
  expect(withoutWhitespace(lines).map((l) => `${l.kind} ${l.was} ${l.is} ${l.text}`)).toEqual([
    "hunk 1 1 @@ -1,3 +1,4 @@",
    "same 1 1 if (a) {  ",
    "same 2 2 \tb();",
    "add 0 3 \tc();",
    "same 3 4 }",
  ]);
});

test("the white space of a diff can be ignored", async () => {
  await show();
  await until(() => expect(all("diff-line").length).toBeGreaterThan(5));
  const changed = () => all("diff-line").filter((l) => l.dataset.kind !== "same").length;
  const before = changed();
  expect(get("diff").textContent).toContain("err :=  c.store");
  await press("diff-whitespace");
  expect(get("diff-whitespace").getAttribute("aria-pressed")).toBe("true");
  expect(changed()).toBe(before - 2);
  expect(get("diff").textContent).not.toContain("err :=  c.store");
});

test("colours keep every character, and markup stays text", () => {
  const text = 'const a = "<b>&amp;";\n/* one\n   two */\n';
  const lines = highlight(text, "x/a.ts");
  expect(lines.map((l) => l.map((t) => t.text).join("")).join("\n")).toBe(text);
  expect(lines[0]?.[0]).toEqual({ text: "const", kind: "keyword" });
  expect(lines[2]?.[0]?.kind).toBe("comment");
  expect([languageOf("Makefile"), languageOf("a.unknown"), languageOf("d/x.py")]).toEqual(["makefile", "", "python"]);
});

test("the ticked files are committed to the branch that is entered, and the result is said", async () => {
  await show();
  await until(() => find("commit"));
  await press(get("commit"));
  await until(() => find("commit-dialog"));
  expect((get("commit-message") as HTMLTextAreaElement).value).toBe("Repair the cart");
  const boxes = all("commit-file") as HTMLInputElement[];
  const first = boxes.find((f) => !f.disabled);
  const committed = boxes.filter((f) => f.checked).length - 1;
  await press(first as HTMLElement);
  await press(get("commit-current"));
  expect((get("commit-branch") as HTMLInputElement).value).toBe("main");
  await press(get("commit-confirm"));
  await until(() => find("commit-done"));
  expect(get("commit-done").textContent).toContain(`committed to main`);
  const call = bridge.calls.find((c) => c.method === "ChangesAPI.Commit");
  expect((call?.args[1] as { paths: string[] } | undefined)?.paths).toHaveLength(committed);
});
