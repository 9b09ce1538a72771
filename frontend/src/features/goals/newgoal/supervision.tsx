import { useAppState } from "@/store/context";
import { Field } from "@/ui/field";
import type { Draft } from "./draft";
import { Select } from "@/ui/input";

interface ProviderFieldProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  name: "criticProvider" | "judgeProvider";
  label: string;
  error: string | undefined;
}

export function ProviderField({ draft, set, name, label, error }: ProviderFieldProps) {
  const providers = useAppState((s) => s.providers);
  return (
    <Field label={label} name={name} error={error}>
      {(c) => (
        <Select
          {...c}
          data-testid={`field-${name}`}
          value={draft[name]}
          onChange={(e) => set({ [name]: e.target.value })}
        >
          <option value="">Same as the goal</option>
          {providers
            .filter((p) => !p.scripted)
            .map((p) => (
              <option key={p.id} value={p.id}>
                {p.id}
                {p.ready ? "" : " · not ready"}
              </option>
            ))}
        </Select>
      )}
    </Field>
  );
}
