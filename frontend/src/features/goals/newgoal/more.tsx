import { Field } from "@/ui/field";
import type { Draft } from "./draft";

interface MoreProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
}

/** What has a sensible default and is seldom changed. */
export function More({ draft, set }: MoreProps) {
  const texts: { name: "allowTools" | "denyTools" | "allowHosts"; label: string; hint: string }[] = [
    { name: "allowTools", label: "Only these tools", hint: "empty: all of them" },
    { name: "denyTools", label: "Never these tools", hint: "such as browser_open" },
    { name: "allowHosts", label: "Hosts it may fetch from", hint: "for network get, such as docs.example.com" },
  ];
  return (
    <div className="mt-3 grid grid-cols-3 gap-3">
      <Field label="Iterations">
        {(c) => (
          <input
            {...c}
            data-testid="field-iterations"
            inputMode="numeric"
            className="field"
            value={draft.iterations}
            onChange={(e) => set({ iterations: e.target.value })}
          />
        )}
      </Field>
      <Field label="Tokens">
        {(c) => (
          <input
            {...c}
            data-testid="field-tokens"
            inputMode="numeric"
            placeholder="no limit"
            className="field"
            value={draft.tokens}
            onChange={(e) => set({ tokens: e.target.value })}
          />
        )}
      </Field>
      <Field label="Failed claims per check">
        {(c) => (
          <input
            {...c}
            data-testid="field-claims"
            inputMode="numeric"
            className="field"
            value={draft.claims}
            onChange={(e) => set({ claims: e.target.value })}
          />
        )}
      </Field>
      {texts.map((t) => (
        <Field key={t.name} label={t.label} hint={t.hint}>
          {(c) => (
            <input
              {...c}
              data-testid={`field-${t.name}`}
              spellCheck={false}
              className="field font-mono text-xs"
              value={draft[t.name]}
              onChange={(e) => set({ [t.name]: e.target.value })}
            />
          )}
        </Field>
      ))}
      <Field label="Folder of the checks" hint="inside the goal's folder" className="col-span-3">
        {(c) => (
          <input
            {...c}
            data-testid="field-check-dir"
            spellCheck={false}
            placeholder="."
            className="field font-mono text-xs"
            value={draft.checks[0]?.dir ?? ""}
            onChange={(e) => set({ checks: draft.checks.map((k) => ({ ...k, dir: e.target.value })) })}
          />
        )}
      </Field>
    </div>
  );
}
