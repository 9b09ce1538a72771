import { afterEach, expect, it, vi } from "vitest";

const calls: string[] = [];
const asked: string[] = [];
const written: string[] = [];
const listeners = new AbortController();

const noteDetail = (list: string[]) => (e: Event) => list.push(String((e as CustomEvent<unknown>).detail));
addEventListener("goalpost-ask", noteDetail(asked), { signal: listeners.signal });
addEventListener("goalpost-wrote", noteDetail(written), { signal: listeners.signal });

const noteCall = (name: string) => (): Promise<string> => {
  calls.push(name);
  return Promise.resolve(name);
};

/** loadScript runs the script in a page whose permissions have this state. */
async function loadScript(state: PermissionState): Promise<void> {
  vi.resetModules();
  vi.stubGlobal("navigator", { permissions: { query: () => Promise.resolve({ state }) } });
  vi.stubGlobal("Notification", { requestPermission: noteCall("requestPermission") });
  vi.stubGlobal("MediaDevices", { prototype: { getUserMedia: noteCall("getUserMedia") } });
  vi.stubGlobal("Geolocation", { prototype: { getCurrentPosition: noteCall("getCurrentPosition") } });
  vi.stubGlobal("Clipboard", { prototype: { writeText: noteCall("writeText"), write: noteCall("write") } });
  await import("./permissions");
}

const answer = (id: string) => dispatchEvent(new CustomEvent("goalpost-said", { detail: id }));
const waitForRequests = (list: string[]) => vi.waitFor(() => expect(asked).toEqual(list));

afterEach(() => {
  vi.unstubAllGlobals();
  for (const list of [calls, asked, written]) list.length = 0;
});

it("calls a method only after the user's answer to its own request", async () => {
  await loadScript("prompt");
  const call = Notification.requestPermission();
  await waitForRequests(["notifications 1"]);
  answer("2");
  expect(calls).toEqual([]);
  answer("1");
  expect(await call).toBe("requestPermission");
});

it("asks for each permission that the arguments need", async () => {
  await loadScript("prompt");
  const call = MediaDevices.prototype.getUserMedia({ audio: true, video: true });
  await waitForRequests(["microphone 1"]);
  answer("1");
  await waitForRequests(["microphone 1", "camera 2"]);
  answer("2");
  await call;
  expect(calls).toEqual(["getUserMedia"]);
});

it.each(["granted", "denied"] as const)("does not ask for a permission that is %s", async (state) => {
  await loadScript(state);
  await Notification.requestPermission();
  Geolocation.prototype.getCurrentPosition(() => undefined);
  await vi.waitFor(() => expect(calls).toEqual(["requestPermission", "getCurrentPosition"]));
  expect(asked).toEqual([]);
});

it("reports the text that the page writes to the clipboard", async () => {
  await loadScript("granted");
  await Clipboard.prototype.writeText("one");
  await Clipboard.prototype.write([
    { types: ["text/plain"], getType: () => Promise.resolve(new Blob(["two"])) } as unknown as ClipboardItem,
  ]);
  await vi.waitFor(() => expect(written).toEqual(["one", "two"]));
  expect(calls).toEqual(["writeText", "write"]);
});

it("leaves a page without these classes as it is", async () => {
  vi.resetModules();
  for (const name of ["Notification", "MediaDevices", "Geolocation", "Clipboard"]) vi.stubGlobal(name, undefined);
  await expect(import("./permissions")).resolves.toBeDefined();
});
