// A session bus with one service: the desktop that shows notifications. It speaks as much of D-Bus as that needs, so
// that a test sees what a user's desktop would show.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limit } from "./limits.mjs";

const methodReturn = 2;
const signal = 4;

// Only reached if something hangs.
const patience = limit(30_000);

/** Writes values with the alignment of D-Bus. */
class Writer {
  bytes = [];
  align(n) {
    while (this.bytes.length % n !== 0) this.bytes.push(0);
  }
  byte(n) {
    this.bytes.push(n);
  }
  number(n) {
    this.align(4);
    this.bytes.push(n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >> 24) & 255);
  }
  text(s) {
    const b = Buffer.from(s);
    this.number(b.length);
    this.bytes.push(...b, 0);
  }
  signature(s) {
    this.bytes.push(s.length, ...Buffer.from(s), 0);
  }
}

/** Reads values with the alignment of D-Bus, from programs on a little-endian machine. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  align(n) {
    this.at = Math.ceil(this.at / n) * n;
  }
  number() {
    this.align(4);
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }
  text() {
    const length = this.number();
    this.at += length + 1;
    return this.bytes.toString("utf8", this.at - length - 1, this.at - 1);
  }
  texts() {
    const end = this.number() + this.at;
    const list = [];
    while (this.at < end) list.push(this.text());
    return list;
  }
  signature() {
    const length = this.bytes[this.at];
    this.at += length + 2;
    return this.bytes.toString("utf8", this.at - length - 1, this.at - 1);
  }
}

/** Returns the first message of a buffer, null while it is incomplete. */
function readMessage(bytes) {
  if (bytes.length < 16) return null;
  const head = new Reader(bytes, 4);
  const bodyLength = head.number();
  const serial = head.number();
  const end = head.number() + 16;
  const body = Math.ceil(end / 8) * 8;
  if (bytes.length < body + bodyLength) return null;
  const message = { serial, member: "", body: bytes.subarray(body, body + bodyLength), length: body + bodyLength };
  while (head.at < end) {
    head.align(8);
    const field = bytes[head.at++];
    const kind = head.signature();
    const value = kind === "u" ? head.number() : kind === "g" ? head.signature() : head.text();
    if (field === 3) message.member = value;
  }
  return message;
}

/** Encodes a message. `fields` are the numbers of header fields with their types and values. */
function encode(type, serial, fields, signature, write) {
  const body = new Writer();
  write(body);
  const w = new Writer();
  [0x6c, type, 1, 1].forEach((b) => w.byte(b));
  w.number(body.bytes.length);
  w.number(serial);
  const head = new Writer();
  for (const [field, kind, value] of [...fields, [8, "g", signature]]) {
    head.align(8);
    head.byte(field);
    head.signature(kind);
    if (kind === "u") head.number(value);
    else if (kind === "g") head.signature(value);
    else head.text(value);
  }
  w.number(head.bytes.length);
  w.bytes.push(...head.bytes);
  w.align(8);
  return Buffer.from([...w.bytes, ...body.bytes]);
}

const reply = (serial, signature, write) => encode(methodReturn, serial, [[5, "u", serial]], signature, write);

/** A signal of the service: the user pressed a button. */
const pressed = (id, key) =>
  encode(
    signal,
    id,
    [
      [1, "o", "/org/freedesktop/Notifications"],
      [2, "s", "org.freedesktop.Notifications"],
      [3, "s", "ActionInvoked"],
      [7, "s", service],
    ],
    "us",
    (w) => {
      w.number(id);
      w.text(key);
    },
  );

/** The connection of the service that shows notifications, and that of the program. */
const service = ":1.0";
const program = ":1.1";

const answers = {
  Hello: ["s", (w) => w.text(program)],
  GetNameOwner: ["s", (w) => w.text(service)],
  GetServerInformation: ["ssss", (w) => ["test", "test", "1", "1.2"].forEach((s) => w.text(s))],
  GetCapabilities: [
    "as",
    (w) => {
      w.number("actions".length + 5);
      w.text("actions");
    },
  ],
};

/** Takes the focus from the page's window, as when the user works in another program. */
export function leaveWindow(page) {
  return page.evaluate(() => {
    document.hasFocus = () => false;
    window.dispatchEvent(new Event("blur"));
  });
}

/**
 * Starts the desktop. `shown` has the notifications that it was asked to show; `env` has the variables with which a
 * program finds it.
 */
export async function startDesktop() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-bus-"));
  const path = join(dir, "bus");
  const shown = [];
  const shownTo = new WeakMap();
  const waiting = [];
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest = Buffer.alloc(0);
    let begun = false;
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (!begun) {
        const end = rest.indexOf("\r\n");
        if (end < 0) return;
        const line = rest.toString("latin1", 0, end).replace("\0", "");
        rest = rest.subarray(end + 2);
        if (line === "BEGIN") begun = true;
        else if (line.startsWith("AUTH EXTERNAL")) socket.write(`OK ${"0".repeat(32)}\r\n`);
        else if (line === "NEGOTIATE_UNIX_FD") socket.write("AGREE_UNIX_FD\r\n");
        else socket.write("REJECTED EXTERNAL\r\n");
      }
      for (let m = readMessage(rest); m; m = readMessage(rest)) {
        rest = rest.subarray(m.length);
        if (m.member === "Notify") {
          const r = new Reader(m.body);
          r.text(); // the program's name
          r.number();
          r.text();
          const note = { id: shown.length + 1, title: r.text(), text: r.text(), buttons: r.texts() };
          shown.push(note);
          shownTo.set(note, socket);
          answers.Notify = ["u", (w) => w.number(note.id)];
          waiting.splice(0).forEach((look) => look());
        }
        if (m.member === "CloseNotification") {
          shown[new Reader(m.body).number() - 1].isWithdrawn = true;
          waiting.splice(0).forEach((look) => look());
        }
        const [signature, write] = answers[m.member] ?? ["", () => undefined];
        socket.write(reply(m.serial, signature, write));
      }
    });
  });
  server.listen(path);
  await once(server, "listening");
  return {
    shown,
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    /** Returns the first notification that fits, including earlier ones. */
    notification: (fits) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new Error(`not among the notifications: ${JSON.stringify(shown)}`));
        const timer = setTimeout(late, patience);
        const look = () => {
          const found = shown.find(fits);
          if (!found) {
            waiting.push(look);
            return;
          }
          clearTimeout(timer);
          resolve(found);
        };
        look();
      }),
    /** Presses the button of a notification with a label. */
    press: (note, label) => {
      const at = note.buttons.indexOf(label);
      if (at < 0) throw new Error(`no button ${label}, but ${note.buttons.join(", ")}`);
      shownTo.get(note).write(pressed(note.id, note.buttons[at - 1]));
    },
    close: () => {
      sockets.forEach((s) => s.destroy());
      server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
