// @vitest-environment node
import { expect, test } from "vitest";
import { action, actionFor, actionForLeader } from "./actions";
import { boundLabel, conflicts, keyOf, keyWarning, leaderConflicts, leaderOf, refusedKey, withKeys } from "./bindings";

const run = () => undefined;
const split = action({ id: "pane.split", title: "Split", group: "Panes", keys: ["Ctrl+Shift+KeyD"], run });
const zoom = action({ id: "pane.zoom", title: "Zoom", group: "Panes", keys: ["Ctrl+Shift+Enter"], run });
const reopen = action({
  id: "page.reopen",
  title: "Reopen",
  group: "Panes",
  keys: ["Ctrl+Shift+Enter"],
  where: "page",
  run,
});
const press = (code: string, held: string) => ({
  code,
  ctrlKey: held.includes("c"),
  metaKey: held.includes("m"),
  shiftKey: held.includes("s"),
  altKey: held.includes("a"),
});

test("the user's keys replace the defaults of a command, and an empty list is none", () => {
  const all = withKeys([split, zoom], { "pane.split": ["Ctrl+Alt+KeyX"], "pane.zoom": [], unknown: ["F5"] }, null);
  expect(actionFor(all, press("KeyX", "ca"))?.id).toBe("pane.split");
  expect(actionFor(all, press("KeyD", "cs"))).toBeUndefined();
  expect(actionFor(all, press("Enter", "cs"))).toBeUndefined();
  expect(withKeys([split], null, null)).toEqual([split]);
  expect(boundLabel({ "pane.split": ["Ctrl+Alt+KeyX"] }, "pane.split", "D")).toBe("Ctrl+Alt+X");
  expect([boundLabel({ a: [] }, "a", "D"), boundLabel(null, "a", "D")]).toEqual(["", "D"]);
});

test("a pressed key is written with its modifiers, and Cmd as Ctrl", () => {
  expect(keyOf(press("KeyG", "ms"))).toBe("Ctrl+Shift+KeyG");
  expect(keyOf(press("F5", ""))).toBe("F5");
});

test("keys that shells and typing need are refused with the reason, others are warned of", () => {
  for (const key of ["KeyA", "Shift+Digit1", "Ctrl+KeyC", "Ctrl+KeyR", "Ctrl+Shift+KeyV", "Ctrl+Shift+Space", "Enter"])
    expect(refusedKey(key), key).not.toBe("");
  for (const key of ["F5", "Ctrl+Shift+KeyX", "Alt+KeyX", "Ctrl+Alt+KeyX", "Ctrl+Digit1"])
    expect(refusedKey(key)).toBe("");
  expect(keyWarning("Alt+KeyX", true)).not.toBe("");
  expect(keyWarning("Ctrl+Shift+KeyN", true)).toBe("");
  expect(keyWarning("Ctrl+Shift+KeyN", false)).not.toBe("");
});

test("a conflict is another command with the key in the same place, however it is written", () => {
  expect(conflicts([split, zoom, reopen], split, "Shift+Ctrl+Enter")).toEqual([zoom]);
  expect(conflicts([split, zoom], split, "Ctrl+Shift+KeyD")).toEqual([]);
});

test("letters after the leader are the user's, and each belongs to one command", () => {
  const help = action({ id: "help", title: "Help", group: "Goalpost", leader: "a", run });
  const chat = action({ id: "chat", title: "Chat", group: "Chat", leader: "c", run });
  const all = withKeys([help, chat], null, { help: "x", chat: "" });
  expect(actionForLeader(all, "KeyX")?.id).toBe("help");
  expect([actionForLeader(all, "KeyA"), actionForLeader(all, "KeyC")]).toEqual([undefined, undefined]);
  expect(leaderConflicts([help, chat], help, "c")).toEqual([chat]);
  expect(["KeyQ", "Digit3", "ArrowLeft", "F5", "Space"].map((code) => leaderOf(press(code, "")))).toEqual([
    "q",
    "3",
    "←",
    "",
    "",
  ]);
  expect(leaderOf(press("KeyQ", "c"))).toBe("");
});
