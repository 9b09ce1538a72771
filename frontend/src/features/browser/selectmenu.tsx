import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { PaneOption, UserPrompt } from "@/bridge/types";
import { cx } from "@/ui/cx";
import { placePopup, type AnswerPrompt, type Viewport } from "./prompttext";

interface ChoicesProps {
  question: UserPrompt;
  space: Viewport;
  /** A list takes the focus. Suggestions leave the focus in the page, where the user types. */
  reply: AnswerPrompt;
}

/** The options of a list, or the suggestions for a text field. */
export function Choices({ question, space, reply }: ChoicesProps) {
  const options = question.options ?? [];
  const list = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(() =>
    question.kind === "choose"
      ? Math.max(
          0,
          options.findIndex((o) => o.selected),
        )
      : -1,
  );
  const [place, setPlace] = useState({ left: question.x, top: question.y + question.height });
  const typed = useRef({ text: "", when: 0 });

  useLayoutEffect(() => {
    const el = list.current;
    if (!el) return;
    setPlace(placePopup(question, { width: el.offsetWidth, height: el.offsetHeight }, space));
    if (question.kind === "choose") el.focus({ preventScroll: true });
  }, [question, space]);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const choose = (index: number) => {
    const option = options[index];
    if (option?.disabled) return;
    reply(question, { yes: true, index, text: option?.label ?? "" });
  };
  const step = (from: number, by: number) => {
    for (let i = from + by; i >= 0 && i < options.length; i += by) {
      if (!options[i]?.disabled) return i;
    }
    return from;
  };
  const seek = (key: string) => {
    const now = Date.now();
    const text = (now - typed.current.when < 900 ? typed.current.text : "") + key.toLowerCase();
    typed.current = { text, when: now };
    const found = options.findIndex((o) => !o.disabled && o.label.toLowerCase().startsWith(text));
    if (found >= 0) setAt(found);
  };

  return (
    <ul
      ref={list}
      role="listbox"
      tabIndex={-1}
      aria-label="Options"
      data-testid="choices"
      data-kind={question.kind}
      className={cx(
        "appear absolute z-20 max-h-64 max-w-96 overflow-y-auto rounded-md border",
        "border-border-strong bg-surface-raised p-1 text-xs shadow-pop outline-none",
      )}
      style={{ ...place, minWidth: Math.max(80, question.width) }}
      onKeyDown={(e) => {
        e.preventDefault();
        e.stopPropagation();
        if (e.code === "Escape" || e.code === "Tab") reply(question);
        else if (e.code === "Enter" || e.code === "Space") choose(at);
        else if (e.code === "ArrowDown") setAt(step(at, 1));
        else if (e.code === "ArrowUp") setAt(step(at, -1));
        else if (e.code === "Home") setAt(step(-1, 1));
        else if (e.code === "End") setAt(step(options.length, -1));
        else if (e.key.length === 1) seek(e.key);
      }}
    >
      {options.map((o, i) => {
        const head = o.group && o.group !== options[i - 1]?.group && question.kind === "choose";
        return (
          <li key={i} role="presentation">
            {head ? <p className="px-2 pt-1 text-2xs text-text-faint">{o.group}</p> : null}
            <Option
              option={o}
              index={i}
              active={i === at}
              note={question.kind === "suggest" ? o.group : ""}
              onChoose={() => choose(i)}
            />
          </li>
        );
      })}
    </ul>
  );
}

interface OptionProps {
  option: PaneOption;
  index: number;
  active: boolean;
  /** Shown beside a suggestion. */
  note: string;
  onChoose: () => void;
}

function Option({ option: o, index, active, note, onChoose }: OptionProps) {
  return (
    <div
      role="option"
      aria-selected={active}
      aria-disabled={o.disabled}
      data-testid="choice"
      data-index={index}
      className={cx(
        "flex h-6 cursor-default items-center gap-3 rounded-sm px-2 whitespace-nowrap",
        active && "bg-surface-hover",
        o.disabled ? "opacity-40" : "hover:bg-surface-hover",
      )}
      onMouseDown={(e) => e.preventDefault()}
      onClick={onChoose}
    >
      <span className="flex-1 truncate">{o.label || "\u00a0"}</span>
      {note ? <span className="truncate text-text-faint">{note}</span> : null}
      {o.selected ? <span aria-hidden>✓</span> : null}
    </div>
  );
}
