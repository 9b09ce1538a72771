import type { FoundServer, PresetView } from "@/bridge/types";

/** Returns two letters to show in place of a logo. */
export function initials(preset: string): string {
  const known: Record<string, string> = { openai: "AI", openrouter: "OR", lmstudio: "LM", llamacpp: "LC", xai: "X" };
  return known[preset] ?? preset.slice(0, 1).toUpperCase();
}

/** Returns the card's second line: what was found, or what is needed. */
export function describePreset(preset: PresetView, servers: readonly FoundServer[] | null): string {
  if (!preset.local) return preset.id === "openrouter" ? "One key, many models" : "Needs an API key";
  if (servers === null) return "Checking…";
  const found = servers.find((s) => s.preset === preset.id);
  if (!found) return "Not running";
  const n = found.models?.length ?? 0;
  return `${n} ${n === 1 ? "model" : "models"} here, no key needed`;
}

/** Returns the preset to select first: a server that answers, then a key in the environment, then OpenAI. */
export function preselect(presets: readonly PresetView[], servers: readonly FoundServer[] | null): string {
  const local = presets.find((p) => servers?.some((s) => s.preset === p.id && (s.models?.length ?? 0) > 0));
  return (local ?? presets.find((p) => p.has_key) ?? presets[0])?.id ?? "";
}
