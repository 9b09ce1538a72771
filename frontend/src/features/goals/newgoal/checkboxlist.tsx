import { Caption } from "@/ui/caption";
interface CheckboxListProps {
  title: string;
  /** Text above the list. */
  note?: string;
  testid: string;
  error: string | undefined;
  items: readonly { id: string; label: string }[];
  on: readonly string[];
  onChange: (on: string[]) => void;
}

export function CheckboxList({ title, note, testid, error, items, on, onChange }: CheckboxListProps) {
  return (
    <fieldset>
      <Caption as="legend" className="mb-1.5">
        {title}
      </Caption>
      {note ? <p className="mb-1.5 text-xs text-text-muted">{note}</p> : null}
      <div className="flex max-h-28 flex-col gap-0.5 overflow-y-auto">
        {items.map((i) => (
          <label key={i.id} className="flex items-center gap-2 text-xs">
            <input
              type="checkbox"
              data-testid={testid}
              data-id={i.id}
              className="accent-(--accent)"
              checked={on.includes(i.id)}
              onChange={(e) => onChange(e.target.checked ? [...on, i.id] : on.filter((id) => id !== i.id))}
            />
            <span className="min-w-0 truncate">{i.label}</span>
          </label>
        ))}
      </div>
      {error ? (
        <p role="alert" className="mt-1 text-xs text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
