import type { Provider } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Field } from "@/ui/field";
import { Select } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import { DraftInput } from "./draftinput";
import { EnginePicker } from "./enginepicker";
import { dollars, minutes, plainText } from "./formats";
import { WorkField } from "./scope";
import { WorktreeField } from "./worktree";

/** Folder, limits, and the model that drives the goal. */
export function BasicFields({ draft, set, errors }: AdvancedProps) {
  const providers = useAppState((s) => s.providers);
  const chosen = providers.find((p) => p.id === draft.provider) ?? providers.find((p) => p.active);
  const fields = { draft, set, errors, chosen };
  return (
    <>
      <FolderAndLimits {...fields} />
      <WorktreeField draft={draft} set={set} errors={errors} />
      <WorkField draft={draft} set={set} errors={errors} />
      <EnginePicker draft={draft} set={set} errors={errors} />
      <div className="grid grid-cols-3 gap-3 max-[640px]:grid-cols-1">
        <ProviderField {...fields} />
        <ModelField {...fields} />
        <EffortField {...fields} />
      </div>
    </>
  );
}

function FolderAndLimits({ draft, set, errors, chosen }: ModelFieldProps) {
  const daily = useAppState((s) => s.settings?.daily_limit_usd ?? 0);
  const { answer: today } = useCall("SpendAPI.Today");
  const fields = { draft, set, errors };
  // Their error is below them.
  const limit = { ...fields, placeholder: "no limit", error: errors.limits && { message: "", hint: "" } };
  return (
    <>
      <div className="grid grid-cols-[92px_92px] gap-3">
        <DraftInput {...limit} as={minutes} name="wall_clock_ms" testid="minutes" label="Time" note="min" />
        <DraftInput {...limit} as={dollars} name="usd" label="Money" note="$" />
      </div>
      {(draft.usd > 0 || daily > 0) && chosen && !chosen.has_price ? (
        <p data-testid="field-no-price" className="-mt-3 text-xs text-warn">
          No price is known for {chosen.model || chosen.id}:{" "}
          {draft.usd > 0 ? "this limit" : `the daily limit of ${money(daily)}`} cannot be enforced. Also set a token
          limit under Advanced options.
        </p>
      ) : null}
      {today && today.limit_usd > 0 && today.usd >= today.limit_usd && !chosen?.scripted ? (
        <p data-testid="field-daily-limit" className="-mt-3 text-xs text-warn">
          Today&apos;s limit of {money(today.limit_usd)} is reached. The goal waits until tomorrow, or until you raise
          it in Settings › Spending.
        </p>
      ) : null}
      {errors.limits ? (
        <p role="alert" data-testid="error-limits" className="-mt-3 text-xs text-bad">
          {errors.limits.message} <span className="text-text-muted">· {errors.limits.hint}</span>
        </p>
      ) : null}
    </>
  );
}

interface ModelFieldProps extends AdvancedProps {
  /** The provider that the goal will use. */
  chosen: Provider | undefined;
}

function ProviderField({ draft, set, errors, chosen }: ModelFieldProps) {
  const providers = useAppState((s) => s.providers);
  const active = providers.find((p) => p.active);
  return (
    <Field
      label="Provider"
      name="provider"
      error={errors.provider?.message}
      hint={errors.provider?.hint ?? (chosen?.ready === false ? chosen.note : undefined)}
    >
      {(c) => (
        <Select
          {...c}
          data-testid="field-provider"
          value={draft.provider}
          onChange={(e) => set({ provider: e.target.value, model: "", effort: "" })}
        >
          <option value="">{active ? `${active.id} (default)` : "Default provider"}</option>
          {providers
            .filter((p) => !p.active)
            .map((p) => (
              <option key={p.id} value={p.id}>
                {p.id}
                {p.scripted ? " · scripted, no AI" : p.ready ? "" : " · not ready"}
              </option>
            ))}
        </Select>
      )}
    </Field>
  );
}

function ModelField({ draft, set, errors, chosen }: ModelFieldProps) {
  return (
    <DraftInput
      draft={draft}
      set={set}
      errors={errors}
      as={plainText}
      name="model"
      label="Model"
      hint={errors.model?.hint ?? (chosen?.scripted ? "scripted, no AI" : undefined)}
      placeholder={chosen?.model ?? ""}
    />
  );
}

function EffortField({ draft, set, errors, chosen }: ModelFieldProps) {
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
