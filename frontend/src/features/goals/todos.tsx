import type { Todo } from "@/bridge/types";

/** The agent's plan in one line: done, next, remaining. */
export function Todos({ items }: { items: readonly Todo[] }) {
  if (items.length === 0) return null;
  const next = items.findIndex((t) => !t.done);
  return (
    <ol className="mt-2 flex flex-wrap gap-x-3 gap-y-1 text-xs" data-testid="todos" aria-label="The agent's plan">
      {items.map((t, i) => (
        <li
          key={i}
          data-testid="todo"
          data-done={t.done}
          className={t.done ? "text-text-muted" : i === next ? "font-semibold text-text" : "text-text-faint"}
        >
          <span aria-hidden className={t.done ? "text-ok" : ""}>
            {t.done ? "✓ " : i === next ? "→ " : "○ "}
          </span>
          <span className="sr-only">{t.done ? "done: " : i === next ? "next: " : "to do: "}</span>
          {t.text}
        </li>
      ))}
    </ol>
  );
}
