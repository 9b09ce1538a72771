const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a duration: `3 ms`, `2.1 s`, `1 m 48 s`, `2 h 05 m`. */
export function formatElapsed(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`;
  return span(ms);
}

/** Formats a time on a goal's own clock, or a span in whole seconds: `0 s`, `58 s`, `1 m 12 s`, `2 h 05 m`. */
export function clock(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} m ${pad(Math.floor((ms % minute) / second))} s`;
  if (ms < day) return `${Math.floor(ms / hour)} h ${pad(Math.floor((ms % hour) / minute))} m`;
  return `${Math.floor(ms / day)} d ${Math.floor((ms % day) / hour)} h`;
}

/** Formats a fixed span without zero parts: `12 m`, `2 h`, `1 m 48 s`. */
export function span(ms: number): string {
  return clock(ms).replace(/ 0+ [smh]$/, "");
}

/** Formats a span in one unit, for narrow places: `42 s`, `14 m`, `3 h`. */
export function formatApprox(ms: number): string {
  return clock(ms).split(" ").slice(0, 2).join(" ");
}

/** Formats the time since an RFC 3339 moment in one unit: `now`, `4 m`, `3 h`, `12 d`. Empty without a moment. */
export function formatAge(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (!at || Number.isNaN(ms)) return "";
  if (ms < minute) return "now";
  if (ms < hour) return `${Math.floor(ms / minute)} m`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** The local time of a moment, with its day if it is not today. */
export function timeOfDay(at: string): string {
  const moment = new Date(at);
  const time = moment.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const isToday = moment.toDateString() === new Date().toDateString();
  return isToday ? time : `${moment.toLocaleDateString("en", { weekday: "long" })} ${time}`;
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
