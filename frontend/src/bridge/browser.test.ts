import { expect, test } from "vitest";
import { openBrowser, readFrame } from "./browser";
import { fakeDial } from "./fake/socket";

function frame(n: number, width: number, height: number): ArrayBuffer {
  const out = new Uint8Array(8 + 3);
  const view = new DataView(out.buffer);
  view.setUint32(0, n);
  view.setUint16(4, width);
  view.setUint16(6, height);
  out.set([0xff, 0xd8, 0xff], 8);
  return out.buffer;
}

test("a frame carries its number, its size in CSS pixels and the JPEG", () => {
  const f = readFrame(frame(70_000, 1024, 768));
  expect(f).toMatchObject({ n: 70_000, width: 1024, height: 768 });
  expect([...(f?.jpeg ?? [])]).toEqual([0xff, 0xd8, 0xff]);
  expect(readFrame(new ArrayBuffer(8))).toBeNull();
});

test("size and visibility are sent again to a new socket", () => {
  const { dial, last } = fakeDial();
  const infos: string[] = [];
  const stream = openBrowser(dial, "b 1", {
    frame: () => undefined,
    info: (p) => infos.push(p.title),
    problem: () => undefined,
    overlay: () => undefined,
    link: () => undefined,
  });
  expect(last().path).toBe("/v1/browser/b%201");
  stream.size(800, 600, 2, false);
  stream.visible(false);
  stream.keyboard();
  last().open();
  expect(last().sent).toEqual([
    { t: "visible", on: false }, // before the size, which a hidden viewer must not set
    { t: "size", w: 800, h: 600, r: 2, looks: false },
    { t: "keyboard" }, // the user turned to the window before the socket was open
  ]);
  last().say({ t: "info", pane: { title: "Shop" } });
  expect(infos).toEqual(["Shop"]);
  stream.close();
});
