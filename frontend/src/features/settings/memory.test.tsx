import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { flushAll, get, mount, press, write } from "@/testing/mount";
import { Memory } from "./memory";

test("a note about a folder is added, edited and deleted", async () => {
  const bridge = new FakeBridge();
  await mount(<Memory />, bridge);
  expect(get("memory").textContent).toContain("noted by a goal");
  await press("new-note");
  write("note-dir", "/home/ada/books");
  write("note-text", "Chapters are numbered from 0.");
  await flushAll();
  await press("note-save");
  expect(get("memory").textContent).toContain("Chapters are numbered from 0.");
  await press("note-edit");
  write("note-text", "Chapters are numbered from 1.");
  await flushAll();
  await press("note-save");
  expect(get("memory").textContent).toContain("from 1.");
  await press("note-delete");
  expect(get("memory").textContent).not.toContain("from 1.");
});

test("a note that is refused stays in the form, with the reason", async () => {
  const bridge = new FakeBridge();
  bridge.refusals.set("MemoryAPI.Add", {
    code: "invalid",
    message: "the folder is not an absolute path",
    hint: "give the folder in which goals should read the note",
    field: "dir",
  });
  await mount(<Memory />, bridge);
  await press("new-note");
  write("note-dir", "books");
  write("note-text", "x");
  await flushAll();
  await press("note-save");
  expect(get("note-form").textContent).toContain("not an absolute path");
});
