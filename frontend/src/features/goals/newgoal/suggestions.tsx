import { useState } from "react";
import { useAppState } from "@/store/context";
import { toneText } from "@/ui/badge";
import { IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { ChevronIcon, PencilIcon } from "@/ui/icons";
import { checkLabel } from "@/features/goals/labels";
import { programChecks } from "./checks";
import { checkTabs } from "./checkfields";
import { describeCheck } from "@/agent/checkwords";
import { isUseless, type Suggestion } from "./usesuggestions";

interface SuggestionsProps {
  list: readonly Suggestion[];
  isTicked: (s: Suggestion) => boolean;
  onTick: (s: Suggestion, on: boolean) => void;
  onEdit: (s: Suggestion) => void;
}

/** The suggested checks that run and fail now. Those that are ticked decide the goal. */
export function Suggestions({ list, ...rest }: SuggestionsProps) {
  return (
    <ul className="divide-y divide-border" aria-label="Suggested checks">
      {list.map((s) => (
        <Line key={s.key} suggestion={s} {...rest} />
      ))}
    </ul>
  );
}

/** The suggestions that are of no use now, folded, with the reason of each. */
export function UselessSuggestions({ list, ...rest }: SuggestionsProps) {
  const [isOpen, setOpen] = useState(false);
  const useless = list.filter((s) => isUseless(s) && !rest.isTicked(s));
  if (useless.length === 0) return null;
  const passing = useless.filter((s) => outcomeOf(s) === "passes_already").length;
  return (
    <div className={isOpen ? "basis-full" : undefined}>
      <button
        type="button"
        aria-expanded={isOpen}
        data-testid="suggestions-useless"
        className="flex items-center gap-1.5 text-xs text-text-muted hover:text-text"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronIcon size={11} className={isOpen ? "rotate-90" : ""} />
        {useless.length} more: {describeUseless(useless.length - passing, passing)}
      </button>
      {isOpen ? <Suggestions list={useless} {...rest} /> : null}
    </div>
  );
}

function describeUseless(failing: number, passing: number): string {
  if (passing === 0) return "cannot run";
  const pass = passing === 1 ? "passes already" : "pass already";
  return failing === 0 ? pass : `${failing} cannot run, ${passing} ${pass}`;
}

const outcomeOf = ({ tried }: Suggestion) => (tried?.state === "done" ? tried.out.outcome : (tried?.state ?? ""));

interface LineProps extends Omit<SuggestionsProps, "list"> {
  suggestion: Suggestion;
}

function Line({ suggestion: s, isTicked, onTick, onEdit }: LineProps) {
  const title = checkTabs.find((t) => t.type === s.check.type)?.title ?? s.check.type;
  const words = describeCheck(s.check);
  return (
    <li
      data-testid="suggestion"
      data-from={s.from}
      data-outcome={outcomeOf(s)}
      title={s.reason}
      className="group flex min-h-9 flex-wrap items-center gap-x-2.5 px-3 py-1.5 text-xs"
    >
      <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-2.5 max-[640px]:basis-full">
        <input
          type="checkbox"
          data-testid="suggestion-add"
          className="accent-(--accent)"
          checked={isTicked(s)}
          onChange={(e) => onTick(s, e.target.checked)}
        />
        <span className="w-14 shrink-0 text-text-muted">{title}</span>
        <span className="selectable min-w-0 flex-1 font-mono break-words whitespace-pre-wrap">{words}</span>
      </label>
      <Tried suggestion={s} />
      <IconButton
        label={`Edit the check ${words}`}
        data-testid="suggestion-edit"
        className="-my-1 -mr-1.5 opacity-60 group-hover:opacity-100 focus-visible:opacity-100"
        onClick={() => onEdit(s)}
      >
        <PencilIcon size={13} />
      </IconButton>
      <Origin suggestion={s} />
    </li>
  );
}

/** What the user has to know before ticking: a model proposed it, or it needs access. */
function Origin({ suggestion: s }: { suggestion: Suggestion }) {
  const model = useAppState((state) => state.providers.find((p) => p.active)?.model);
  const parts = [
    s.from === "model" ? `Proposed by ${model || "the model"}: ${s.reason}` : "",
    s.allow_local?.length ? `Needs access to port ${s.allow_local.join(", ")} of this computer.` : "",
  ].filter(Boolean);
  return parts.length > 0 ? (
    <p className="basis-full pl-6 text-2xs break-words text-text-faint">{parts.join(" ")}</p>
  ) : null;
}

function Tried({ suggestion: { check, tried } }: { suggestion: Suggestion }) {
  const line = (tone: string, text: string) => (
    <span className={cx("max-w-full min-w-0 break-words", tone)} data-testid="suggestion-tried">
      {text}
    </span>
  );
  if (!programChecks.has(check.type)) return line("text-text-muted", "a model decides it at the end");
  if (!tried || tried.state === "running") return null;
  if (tried.state === "failed") return line("basis-full pl-6 text-warn", tried.text);
  const { outcome, detail } = tried.out;
  if (outcome === "fails_now") return line("text-ok", "✓ fails now, as it should");
  if (outcome === "passes_already") return line("text-warn", "passes already");
  const label = checkLabel(outcome);
  return line(cx("basis-full pl-6", toneText[label.tone]), `${label.words}: ${detail}`);
}
