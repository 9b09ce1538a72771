// Runs in the world of the page. Headless Chromium refuses permissions that it would have to ask the user for, so these
// calls wait until the program has asked. Then Chromium decides, according to the user's answer. A page that fakes the
// messages can only make the program ask.

let last = 0;

/** askUser waits for the user's decision, unless there is one. */
async function askUser(name: string): Promise<void> {
  try {
    const { state } = await navigator.permissions.query({ name: name as PermissionName });
    if (state !== "prompt") return;
  } catch {
    return;
  }
  const id = String(++last);
  await new Promise<void>((resolve) => {
    const onAnswer = (e: Event) => {
      if ((e as CustomEvent<unknown>).detail !== id) return;
      removeEventListener("goalpost-said", onAnswer);
      resolve();
    };
    addEventListener("goalpost-said", onAnswer);
    dispatchEvent(new CustomEvent("goalpost-ask", { detail: `${name} ${id}` }));
  });
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Methods = Partial<Record<string, unknown>>;

/** replaceMethod replaces a method, if it exists. wrap returns an object with the new method under the same name. */
function replaceMethod(owner: object | undefined, name: string, wrap: (original: Method) => Methods): void {
  const methods = owner as Methods | undefined;
  const original = methods?.[name];
  if (methods && typeof original === "function") methods[name] = wrap(original as Method)[name];
}

/** askBefore makes a method that returns a promise wait for the permissions that its arguments need. */
function askBefore(owner: object | undefined, name: string, listPermissions: Method): void {
  replaceMethod(owner, name, (original) => ({
    async [name](this: unknown, ...args: unknown[]) {
      for (const permission of listPermissions(...args) as string[]) await askUser(permission);
      return original.apply(this, args);
    },
  }));
}

/** callBefore makes a method call another function first. */
function callBefore(owner: object | undefined, name: string, before: Method): void {
  replaceMethod(owner, name, (original) => ({
    [name](this: unknown, ...args: unknown[]) {
      before(...args);
      return original.apply(this, args);
    },
  }));
}

// A page's own copy button: the text is for the user to paste elsewhere.
const reportWritten = (text: unknown) => dispatchEvent(new CustomEvent("goalpost-wrote", { detail: String(text) }));

function reportItems(items: unknown): void {
  const list = [...((items as Iterable<Partial<ClipboardItem> | null> | null) ?? [])];
  const item = list.find((i) => i?.types?.includes("text/plain"));
  item
    ?.getType?.("text/plain")
    .then((blob) => blob.text())
    .then(reportWritten, () => undefined);
}

function listMedia(constraints: unknown): string[] {
  const { audio, video } = (constraints as MediaStreamConstraints | null | undefined) ?? {};
  return [...(audio ? ["microphone"] : []), ...(video ? ["camera"] : [])];
}

/** Classes that only pages of secure origins have. */
const page = globalThis as Partial<
  Pick<typeof globalThis, "Clipboard" | "Geolocation" | "MediaDevices" | "Notification">
>;

askBefore(page.Notification, "requestPermission", () => ["notifications"]);
askBefore(page.MediaDevices?.prototype, "getUserMedia", listMedia);
// Headless Chromium has no picker of screens, and the call would never end.
replaceMethod(page.MediaDevices?.prototype, "getDisplayMedia", () => ({
  getDisplayMedia: () => Promise.reject(new DOMException("Permission denied", "NotAllowedError")),
}));
askBefore(page.Clipboard?.prototype, "readText", () => ["clipboard-read"]);
askBefore(page.Clipboard?.prototype, "read", () => ["clipboard-read"]);
callBefore(page.Clipboard?.prototype, "writeText", reportWritten);
callBefore(page.Clipboard?.prototype, "write", reportItems);
replaceMethod(page.Geolocation?.prototype, "getCurrentPosition", (original) => ({
  getCurrentPosition(this: unknown, ...args: unknown[]) {
    void askUser("geolocation").then(() => original.apply(this, args));
  },
}));

export {}; // makes this a module, which unit tests import
