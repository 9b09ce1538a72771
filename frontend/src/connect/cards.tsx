import { useState } from "react";
import type { PresetView } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { ChevronIcon } from "@/ui/icons";
import { describePreset, initials } from "./presets";

interface CardsProps {
  chosen: string;
  onChoose: (preset: string) => void;
  /** Called for Enter on a card, or a double click. */
  onOpen: (preset: string) => void;
}

/** The other presets are one click away, unless one of them was found on this computer. */
const shownAtFirst = 6;

/** The presets as cards. The arrow keys move between them. */
export function PresetCards({ chosen, onChoose, onOpen }: CardsProps) {
  const presets = useAppState((s) => s.presets);
  const servers = useAppState((s) => s.foundServers);
  const [isAll, setIsAll] = useState(false);
  const known = presets.filter((p) => p.id !== "custom");
  const isOffered = (p: PresetView) => p.has_key || p.id === chosen || servers?.some((s) => s.preset === p.id);
  const shown = known.filter((p, i) => isAll || i < shownAtFirst || isOffered(p));
  const rest = known.filter((p) => !shown.includes(p));
  const custom = presets.find((p) => p.id === "custom");
  const move = (e: React.KeyboardEvent<HTMLElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 3, ArrowUp: -3 }[e.code];
    if (by === undefined) return;
    const cards = [...e.currentTarget.querySelectorAll<HTMLElement>("[data-testid='preset-card']")];
    const next = cards[cards.indexOf(document.activeElement as HTMLElement) + by];
    if (!next) return;
    e.preventDefault();
    next.focus();
    onChoose(next.dataset.id ?? "");
  };
  return (
    <div role="group" aria-label="Providers" onKeyDown={move}>
      <div className="grid grid-cols-3 gap-2 max-[640px]:grid-cols-1">
        {shown.map((p) => (
          <Card key={p.id} preset={p} chosen={p.id === chosen} onChoose={onChoose} onOpen={onOpen} />
        ))}
      </div>
      {rest.length > 0 ? (
        <button
          type="button"
          data-testid="preset-more"
          className="mt-2 block max-w-full truncate px-1 text-xs text-text-muted hover:text-text"
          onClick={() => setIsAll(true)}
        >
          More: {rest.map((p) => p.name).join(", ")}
        </button>
      ) : null}
      {custom ? (
        <button
          type="button"
          data-testid="preset-custom"
          className={cx(
            "mt-2 flex w-full items-center gap-3 rounded-lg border border-border bg-surface px-3 py-2.5",
            "text-left hover:border-border-strong",
          )}
          onClick={() => onOpen(custom.id)}
        >
          <Initials>{"<>"}</Initials>
          <span className="font-medium">{custom.name}</span>
          <span className="min-w-0 flex-1 truncate text-xs text-text-muted">
            Any server that speaks the OpenAI or Anthropic API
          </span>
          <ChevronIcon className="text-text-faint" />
        </button>
      ) : null}
    </div>
  );
}

interface CardProps {
  preset: PresetView;
  chosen: boolean;
  onChoose: (preset: string) => void;
  onOpen: (preset: string) => void;
}

function Card({ preset, chosen, onChoose, onOpen }: CardProps) {
  const servers = useAppState((s) => s.foundServers);
  const found = preset.local && servers?.some((s) => s.preset === preset.id);
  return (
    <button
      type="button"
      data-testid="preset-card"
      data-id={preset.id}
      data-found={found || preset.has_key}
      aria-pressed={chosen}
      className={cx(
        "flex min-w-0 items-center gap-3 rounded-lg border px-3 py-2.5 text-left",
        chosen ? "border-accent bg-accent-bg" : "border-border bg-surface hover:border-border-strong",
      )}
      onClick={() => onChoose(preset.id)}
      onDoubleClick={() => onOpen(preset.id)}
      onKeyDown={(e) => {
        if (e.code !== "Enter") return;
        e.preventDefault();
        onOpen(preset.id);
      }}
    >
      <Initials>{initials(preset.id)}</Initials>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{preset.name}</span>
          <span className="flex-1" />
          {found ? <Badge tone="ok">Found</Badge> : null}
          {preset.has_key ? <Badge tone="accent">Key found</Badge> : null}
        </span>
        <span className="block truncate text-xs text-text-muted">{describePreset(preset, servers)}</span>
      </span>
    </button>
  );
}

/** Two letters in a square, in place of a logo. */
export function Initials({ children }: { children: string }) {
  return (
    <span
      aria-hidden
      className="flex size-8 shrink-0 items-center justify-center rounded-md bg-surface-hover text-xs font-semibold"
    >
      {children}
    </span>
  );
}
