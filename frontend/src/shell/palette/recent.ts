const key = "goalpost.palette";
const most = 8;

/** The ids of the entries that were used last in this browser or window, newest first. */
export function recentEntries(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function rememberEntry(id: string): void {
  try {
    localStorage.setItem(key, JSON.stringify([id, ...recentEntries().filter((r) => r !== id)].slice(0, most)));
  } catch {
    // The browser stores nothing for this page: the palette works without it.
  }
}
