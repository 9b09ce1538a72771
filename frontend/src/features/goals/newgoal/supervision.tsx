import type { ReviewMode } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Field } from "@/ui/field";
import { Select } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import type { Draft } from "./draft";
import { DraftInput } from "./draftinput";
import { count } from "./formats";

export function CriticEvery(all: AdvancedProps) {
  return (
    <DraftInput
      {...all}
      as={count}
      name="critic_every"
      label="Critic every"
      hint="turns; leave empty for no critic"
      placeholder="never"
    />
  );
}

export function RequireSteps({ draft, set }: AdvancedProps) {
  return (
    <label className="flex items-center gap-2 text-xs">
      <input
        type="checkbox"
        data-testid="field-require-steps"
        className="accent-(--accent)"
        checked={draft.require_steps ?? false}
        onChange={(e) => set({ require_steps: e.target.checked })}
      />
      Require the agent to plan and verify every change
    </label>
  );
}

export function ReviewField({ draft, set, errors }: AdvancedProps) {
  return (
    <Field
      label="Independent review"
      name="review"
      error={errors.review?.message}
      hint="a separate model call checks each passing claim"
    >
      {(c) => (
        <Select
          {...c}
          data-testid="field-review"
          value={draft.review ?? ""}
          onChange={(e) => set({ review: e.target.value as ReviewMode })}
        >
          <option value="">if no program decides</option>
          <option value="always">always</option>
          <option value="never">never</option>
        </Select>
      )}
    </Field>
  );
}

export function PageSizeField({ draft, set, errors }: AdvancedProps) {
  return (
    <Field label="The agent’s pages" name="page_size" error={errors.page_size?.message} hint="however you look at them">
      {(c) => (
        <Select
          {...c}
          data-testid="field-page-size"
          value={draft.page_size ?? ""}
          onChange={(e) => set({ page_size: e.target.value })}
        >
          <option value="">Laptop, 1280 × 800</option>
          <option value="phone">Phone, 390 × 844</option>
          <option value="tablet">Tablet, 820 × 1180</option>
          <option value="desktop">Desktop, 1920 × 1080</option>
        </Select>
      )}
    </Field>
  );
}

export function Pictures({ draft, set }: AdvancedProps) {
  return (
    <label className="flex items-center gap-2 text-xs">
      <input
        type="checkbox"
        data-testid="field-pictures"
        className="accent-(--accent)"
        checked={draft.pictures ?? false}
        onChange={(e) => set({ pictures: e.target.checked })}
      />
      Show the model a picture after each action in a page
    </label>
  );
}

export function PersonaField({ draft, set, errors }: AdvancedProps) {
  const personas = useAnswer("LibraryAPI.List", draft.dir).answer ?? [];
  const names = new Set(personas.filter((e) => e.kind === "persona" && e.trusted && !e.problem).map((e) => e.name));
  if (draft.persona) names.add(draft.persona);
  return (
    <Field label="Persona" name="persona" error={errors.persona?.message} hint="how the agent works">
      {(c) => (
        <Select
          {...c}
          data-testid="field-persona"
          value={draft.persona ?? ""}
          onChange={(e) => set({ persona: e.target.value })}
        >
          <option value="">by the objective</option>
          {[...names].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export function OnAskField({ draft, set, errors }: AdvancedProps) {
  return (
    <Field label="If no one answers" name="on_ask" error={errors.on_ask?.message} hint="unanswered approvals">
      {(c) => (
        <Select
          {...c}
          data-testid="field-on-ask"
          value={draft.on_ask ?? ""}
          onChange={(e) => set({ on_ask: e.target.value })}
        >
          <option value="">pause and wait</option>
          <option value="deny">deny</option>
          <option value="allow">allow unless approval is always required</option>
        </Select>
      )}
    </Field>
  );
}

interface ProviderFieldProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  name: "critic" | "judge";
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
          value={draft[name] ?? ""}
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
