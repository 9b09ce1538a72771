const key = "goalpost.present";
const absentMs = 3_600_000;
const noteEveryMs = 30_000;

/**
 * Calls back with the time since which the user was away, when they come back after an hour or more. The returned
 * function stops it.
 */
export function watchAbsence(back: (since: Date) => void, storage: Storage = localStorage, now = Date.now): () => void {
  let noted = 0;
  const present = () => {
    const at = now();
    if (at - noted < noteEveryMs) return;
    noted = at;
    try {
      const last = Number(storage.getItem(key) ?? "0");
      storage.setItem(key, String(at));
      if (last > 0 && at - last >= absentMs) back(new Date(last));
    } catch {
      // Without storage nothing says when the user left.
    }
  };
  const signs = ["pointermove", "pointerdown", "keydown", "focus"] as const;
  for (const sign of signs) window.addEventListener(sign, present, { capture: true, passive: true });
  if (document.visibilityState === "visible") present();
  return () => {
    for (const sign of signs) window.removeEventListener(sign, present, { capture: true });
  };
}
