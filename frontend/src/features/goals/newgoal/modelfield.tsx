import { useRef } from "react";
import type { Provider } from "@/bridge/types";
import { useModels } from "@/connect/models";
import { useAppState } from "@/store/context";
import { cx } from "@/ui/cx";
import { Field } from "@/ui/field";
import { Input, Select } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import type { Draft } from "./draft";

/** Returns the provider that the draft names, otherwise the active one. */
export function chosenProvider(providers: readonly Provider[], { model }: Pick<Draft, "model">): Provider | undefined {
  const own = model.split(",")[0]?.trim() ?? "";
  return providers.find((p) => p.id === own || own.startsWith(`${p.id}/`)) ?? providers.find((p) => p.active);
}

/** The model of a draft in words, with those that take over while it is away. */
export function describeModel(draft: Draft, chosen: Provider | undefined): string {
  const [own = "", ...others] = draft.model.split(",").map((name) => name.trim());
  const name = own === "" || own === chosen?.id ? (chosen?.model ?? own) : own.replace(`${chosen?.id}/`, "");
  return [
    chosen?.scripted ? "the scripted model (no AI)" : name || "the default model",
    ...others.filter(Boolean),
  ].join(", then ");
}

/** The model: one of those that the connected providers list, or any other name. After a comma follow its substitutes. */
export function ModelField({ draft, set, errors }: AdvancedProps) {
  const providers = useAppState((s) => s.providers);
  const chosen = chosenProvider(providers, draft);
  const models = useModels(providers);
  const input = useRef<HTMLInputElement>(null);
  const parts = draft.model.split(",");
  const typed = (parts.at(-1) ?? "").trim();
  const isListed = models.some((m) => m.name === typed);
  const fitting = models.filter((m) => isListed || m.name.toLowerCase().includes(typed.toLowerCase()));
  const choose = (name: string) => set({ model: [...parts.slice(0, -1).map((p) => p.trim()), name].join(", ") });
  const error = errors.model ?? errors.provider;
  return (
    <div className="grid grid-cols-[1fr_120px] gap-3 max-[640px]:grid-cols-1">
      <div className="min-w-0">
        <Field
          label="Model"
          name={errors.provider ? "provider" : "model"}
          error={error?.message}
          hint={error?.hint ?? (chosen?.ready === false ? chosen.note : undefined)}
          note={
            <button
              type="button"
              data-testid="model-fallback"
              className="text-accent hover:underline disabled:opacity-50"
              disabled={typed === ""}
              onClick={() => {
                set({ model: `${draft.model.trim()}, ` });
                input.current?.focus();
              }}
            >
              + another for while it is away
            </button>
          }
        >
          {(c) => (
            <Input
              {...c}
              ref={input}
              data-testid="field-model"
              spellCheck={false}
              autoComplete="off"
              className="font-mono text-xs"
              placeholder={chosen ? `${chosen.id}/${chosen.model}` : ""}
              value={draft.model}
              onChange={(e) => set({ model: e.target.value, effort: "" })}
            />
          )}
        </Field>
        <ul aria-label="Models" className="mt-1 max-h-32 overflow-y-auto rounded-md border border-border bg-bg p-0.5">
          {fitting.map((m) => (
            <li key={m.name}>
              <button
                type="button"
                data-testid="model-choice"
                aria-pressed={m.name === typed}
                className={cx(
                  "flex w-full items-baseline gap-3 rounded-sm px-2 py-1 text-left text-xs hover:bg-surface-hover",
                  m.name === typed && "bg-accent-bg",
                )}
                onClick={() => choose(m.name)}
              >
                <span className="min-w-0 flex-1 truncate font-mono">{m.name}</span>
                <span className="shrink-0 text-text-faint">{m.note}</span>
              </button>
            </li>
          ))}
          {fitting.length === 0 ? (
            <li className="px-2 py-1 text-xs text-text-faint">
              {typed ? `No provider lists “${typed}”; it is used as you typed it.` : "Looking for models…"}
            </li>
          ) : null}
        </ul>
      </div>
      <EffortField draft={draft} set={set} errors={errors} />
    </div>
  );
}

function EffortField({ draft, set, errors }: AdvancedProps) {
  const chosen = useAppState((s) => chosenProvider(s.providers, draft));
  // A duplicate may have an effort that the provider does not support: it stays visible, and Go refuses it.
  const known = chosen?.efforts ?? [];
  const efforts = draft.effort && !known.includes(draft.effort) ? [...known, draft.effort] : known;
  return (
    <Field label="Effort" name="effort" error={errors.effort?.message} hint={errors.effort?.hint}>
      {(c) => (
        <Select
          {...c}
          data-testid="field-effort"
          disabled={efforts.length === 0}
          value={draft.effort ?? ""}
          onChange={(e) => set({ effort: e.target.value })}
        >
          <option value="">Default</option>
          {efforts.map((word) => (
            <option key={word}>{word}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
