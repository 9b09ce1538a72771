import type { CheckState, Sentence } from "@/bridge/types";

/** A sentence without its links. */
export function sentenceText(s: Sentence): string {
  const words = (s.parts ?? []).map((p) => p.text).join("");
  return s.note ? `${words}. ${s.note}` : words;
}

/** The reasons of a check as text for the clipboard. */
export function asText(check: CheckState): string {
  const section = (title: string, list: readonly Sentence[] | null | undefined) =>
    list?.length ? ["", title, ...list.map((s) => `- ${sentenceText(s)}`)] : [];
  return [
    `${check.name}: ${check.assurance_words ?? check.outcome}`,
    check.detail,
    ...section("What this pass rests on", check.why?.rests),
    ...section("What to look at", check.why?.look),
    "",
  ].join("\n");
}
