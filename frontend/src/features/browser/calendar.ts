/** A day in the format of a date field. */
export function dayText(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

export interface Month {
  year: number;
  /** 1 to 12 */
  month: number;
}

export function monthOf(value: string, today: Date): Month {
  const found = /^(\d{4,})-(\d{2})/.exec(value);
  if (found) return { year: Number(found[1]), month: Math.min(12, Math.max(1, Number(found[2]))) };
  return { year: today.getFullYear(), month: today.getMonth() + 1 };
}

export function stepMonth(m: Month, by: number): Month {
  const n = m.year * 12 + m.month - 1 + by;
  return { year: Math.floor(n / 12), month: (n % 12) + 1 };
}

/** The weeks of a month from Monday; days of the neighbouring months fill the first and the last. */
export function weeksOf({ year, month }: Month): string[][] {
  const first = new Date(Date.UTC(year, month - 1, 1));
  first.setUTCDate(1 - ((first.getUTCDay() + 6) % 7));
  const weeks: string[][] = [];
  for (let w = 0; w < 6; w++) {
    const week: string[] = [];
    for (let d = 0; d < 7; d++) {
      week.push(dayText(first.getUTCFullYear(), first.getUTCMonth() + 1, first.getUTCDate()));
      first.setUTCDate(first.getUTCDate() + 1);
    }
    if (w > 3 && week.every((day) => Number(day.slice(5, 7)) !== month)) break;
    weeks.push(week);
  }
  return weeks;
}

/** Formats the week of a day as a week field does: 2025-W11. */
export function weekText(day: string): string {
  const d = new Date(`${day}T00:00:00Z`);
  d.setUTCDate(d.getUTCDate() + 3 - ((d.getUTCDay() + 6) % 7)); // its Thursday names the year
  const year = d.getUTCFullYear();
  const start = Date.UTC(year, 0, 1);
  return `${year}-W${String(1 + Math.floor((d.getTime() - start) / 604_800_000)).padStart(2, "0")}`;
}
