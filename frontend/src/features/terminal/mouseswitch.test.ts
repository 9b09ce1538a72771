import { Terminal } from "@xterm/xterm";
import { expect, test } from "vitest";
import { MouseSwitch } from "./mouseswitch";

test("a program does not get the mouse while it is switched off, and gets it back as it asked last", async () => {
  const term = new Terminal({ allowProposedApi: true });
  const mouse = new MouseSwitch(term);
  const after = async (text: string) => {
    await new Promise<void>((done) => term.write(text, done));
    await new Promise<void>((done) => term.write("", done)); // what the switch has written
    return term.modes.mouseTrackingMode;
  };
  const switched = (off: boolean) => {
    mouse.off = off;
    return after("");
  };
  expect(await after("\x1b[?1000h")).toBe("vt200");
  expect(await switched(true)).toBe("none");
  expect(await after("\x1b[?1049;1002h")).toBe("none");
  expect(term.buffer.active.type).toBe("alternate");
  expect(await switched(false)).toBe("drag");
  expect(await switched(true)).toBe("none");
  expect(await after("\x1b[?1000;1002l")).toBe("none");
  expect(await switched(false)).toBe("none"); // the program wants it no longer
  expect(await after("\x1b[?1003h")).toBe("any");
  expect(await switched(true)).toBe("none");
  expect(await after("\x1bc")).toBe("none");
  expect(await switched(false)).toBe("none"); // reset
  term.dispose();
});
