import type { Note } from "@/bridge/types";
import { AgentText } from "@/agent/text";

/** What the agent wants to keep. Folded, because the notes of a long goal are long. */
export function Notes({ items }: { items: readonly Note[] }) {
  if (items.length === 0) return null;
  return (
    <details className="mt-2 text-xs" data-testid="agent-notes">
      <summary className="cursor-pointer text-text-muted">
        Notes of the agent <span className="text-2xs text-text-faint tabular-nums">{items.length}</span>
      </summary>
      <ol className="mt-1">
        {items.map((note) => (
          <li key={note.n} className="py-0.5 text-text" value={note.n}>
            <span className="text-text-faint tabular-nums">{note.n}.</span>{" "}
            <AgentText text={note.text} className="markdown-inline" />
          </li>
        ))}
      </ol>
    </details>
  );
}
