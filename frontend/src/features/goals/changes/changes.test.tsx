import { act } from "react";
import { beforeAll, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { App } from "@/store/app";
import { useAppState } from "@/store/context";
import { all, find, get, mount, press, until } from "@/testing/mount";
import { changedPart, pairLines, parseHunks } from "./hunks";
import { highlight, languageOf } from "./highlight";
import Changes from "./changes";

const done = "01m0done0000000000000000e5";
let bridge: FakeBridge;
let app: App;

function Selected() {
  const view = useAppState((s) => s.detail.view);
  return view ? <Changes key={view.id} view={view} before={null} /> : null;
}

// It is loaded when it is needed first, which is slow on a busy machine.
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
  expect(get("undo-conflicts").textContent).toContain("somebody else changed it since");
  await press("undo-confirm");
  await until(() => expect(find("undo-dialog")).toBeNull());
  expect(undoCalls().map((c) => c.dry_run)).toEqual([true, false]);
  await until(() => expect(all("changes-file").map((f) => f.dataset.path)).toEqual(["web/cart.css"]));
  expect(get("changes-undone").textContent).toContain("Changes undone.");
  await press("redo");
  await until(() => expect(find("undo-list")).not.toBeNull());
  await press("undo-confirm");
  await until(() => expect(all("changes-file")).toHaveLength(6));
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
  expect((call?.args[1] as { paths: string[] }).paths).toHaveLength(committed);
});
