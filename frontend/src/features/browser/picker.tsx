import { useLayoutEffect, useRef, useState } from "react";
import type { UserPrompt } from "@/bridge/types";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { placePopup, type AnswerPrompt, type Viewport } from "./prompttext";
import { monthOf, stepMonth, weeksOf, weekText } from "./calendar";
import { Input } from "@/ui/input";

interface PickerProps {
  question: UserPrompt;
  space: Viewport;
  reply: AnswerPrompt;
}

const swatches = (
  "#000000 #434343 #666666 #999999 #cccccc #ffffff #e5484d #f76b15 #ffc53d #46a758 #12a594 " +
  "#0090ff #3e63dd #8e4ec6 #d6409f #a18072"
).split(" ");

/** A calendar, clock or colour picker at its field. */
export function Picker({ question, space, reply }: PickerProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: question.x, top: question.y + question.height });
  const [value, setValue] = useState(question.value);
  const give = (text: string) => reply(question, { yes: true, text });

  useLayoutEffect(() => {
    const el = panel.current;
    if (!el) return;
    setPlace(placePopup(question, { width: el.offsetWidth, height: el.offsetHeight }, space));
    el.querySelector<HTMLElement>("input, [data-today]")?.focus({ preventScroll: true });
  }, [question, space]);

  return (
    <div
      ref={panel}
      role="dialog"
      aria-label="Choose a value"
      data-testid="picker"
      data-type={question.type}
      className={cx(
        "appear absolute z-20 flex flex-col gap-2 rounded-md border border-border-strong",
        "bg-surface-raised p-2 text-xs shadow-pop",
      )}
      style={place}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.code === "Escape") reply(question);
        if (e.code === "Enter" && e.target instanceof HTMLInputElement) give(value);
      }}
    >
      {question.type === "color" ? (
        <div className="grid grid-cols-8 gap-1">
          {swatches.map((c) => (
            <button
              key={c}
              type="button"
              aria-label={c}
              data-testid={`swatch-${c.slice(1)}`}
              className="size-6 rounded-sm border border-border-strong"
              style={{ background: c }}
              onClick={() => give(c)}
            />
          ))}
        </div>
      ) : null}
      {["date", "week", "datetime-local"].includes(question.type) ? (
        <Calendar
          value={value}
          min={question.min}
          max={question.max}
          choose={(day) => {
            if (question.type === "date") give(day);
            else if (question.type === "week") give(weekText(day));
            else setValue(`${day}T${value.slice(11) || "12:00"}`);
          }}
        />
      ) : null}
      <div className="flex gap-2">
        <Input
          data-testid="picker-value"
          aria-label="Value"
          className="h-7 min-w-28 flex-1 px-2 font-mono text-xs"
          placeholder={{ time: "13:45", month: "2025-03", week: "2025-W11", color: "#1a2b3c" }[question.type] ?? ""}
          value={value}
          onChange={(e) => setValue(e.target.value)}
        />
        <Button look="primary" data-testid="picker-ok" onClick={() => give(value)}>
          OK
        </Button>
        {question.type === "color" ? null : (
          <Button data-testid="picker-clear" onClick={() => give("")}>
            Clear
          </Button>
        )}
      </div>
    </div>
  );
}

interface CalendarProps {
  value: string;
  min: string;
  max: string;
  choose: (day: string) => void;
}

function Calendar({ value, min, max, choose }: CalendarProps) {
  const [month, setMonth] = useState(() => monthOf(value, new Date()));
  const name = new Date(Date.UTC(month.year, month.month - 1, 1)).toLocaleDateString("en", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const out = (day: string) => (min !== "" && day < min.slice(0, 10)) || (max !== "" && day > max.slice(0, 10));
  return (
    <div>
      <div className="mb-1 flex items-center justify-between">
        <Button
          look="quiet"
          aria-label="Previous month"
          data-testid="month-before"
          onClick={() => setMonth(stepMonth(month, -1))}
        >
          ‹
        </Button>
        <span className="font-medium" data-testid="month">
          {name}
        </span>
        <Button
          look="quiet"
          aria-label="Next month"
          data-testid="month-after"
          onClick={() => setMonth(stepMonth(month, 1))}
        >
          ›
        </Button>
      </div>
      <div className="grid grid-cols-7 text-center">
        {["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((d) => (
          <span key={d} className="text-2xs text-text-faint">
            {d}
          </span>
        ))}
        {weeksOf(month)
          .flat()
          .map((day) => (
            <button
              key={day}
              type="button"
              disabled={out(day)}
              data-testid={`day-${day}`}
              className={cx(
                "size-7 rounded-sm hover:bg-surface-hover disabled:opacity-30",
                Number(day.slice(5, 7)) === month.month ? "text-text" : "text-text-faint",
                value.startsWith(day) && "bg-accent text-on-accent",
              )}
              onClick={() => choose(day)}
            >
              {Number(day.slice(8))}
            </button>
          ))}
      </div>
    </div>
  );
}
