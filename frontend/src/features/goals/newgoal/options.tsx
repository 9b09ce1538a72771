import { useState, type ReactElement } from "react";
import { useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Caption } from "@/ui/caption";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { CheckLocation, Panes, Secrets } from "./access";
import type { AdvancedProps } from "./advancedprops";
import { DependencyPicker } from "./after";
import { DraftInput } from "./draftinput";
import { accessFields, limitFields } from "./linefields";
import { CheckDir, CheckOutputField } from "./scope";
import {
  CriticEvery,
  OnAskField,
  PageSizeField,
  Pictures,
  ProviderField,
  RequireSteps,
  ReviewField,
} from "./supervision";

interface Option {
  /** What the search finds it by, in addition to its group: label, purpose, other words for it. */
  words: string;
  field: ReactElement;
}

interface OptionGroup {
  title: string;
  options: readonly Option[];
  /** One option takes the whole width. */
  isWide?: boolean;
}

/** Options that have a sensible default and are rarely changed, in groups and searchable. */
export function Options(all: AdvancedProps) {
  const [wanted, setWanted] = useState("");
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (text: string) => words.every((w) => text.toLowerCase().includes(w));
  const found = groupsOf(all)
    .map((g) => ({ ...g, options: g.options.filter((o) => isWanted(`${g.title} ${o.words}`)) }))
    .filter((g) => g.options.length > 0);
  return (
    <div className="flex flex-col gap-4" data-testid="options">
      <Input
        data-testid="options-search"
        aria-label="Search the options"
        placeholder="Search the options: hosts, critic, secrets…"
        value={wanted}
        onChange={(e) => setWanted(e.target.value)}
      />
      {found.map((g) => (
        <section key={g.title} data-testid="options-group">
          <Caption className="mb-1.5">{g.title}</Caption>
          <div className={g.isWide ? "flex flex-col gap-3" : "grid grid-cols-3 gap-3 max-[640px]:grid-cols-1"}>
            {g.options.map((o) => (
              <div key={o.words} className="min-w-0">
                {o.field}
              </div>
            ))}
          </div>
        </section>
      ))}
      {found.length === 0 ? <p className="text-xs text-text-muted">No option matches “{wanted}”.</p> : null}
    </div>
  );
}

function groupsOf(all: AdvancedProps): OptionGroup[] {
  const lines = (fields: typeof limitFields | typeof accessFields, mono = false) =>
    fields.map((f) => ({
      words: `${f.label} ${"hint" in f ? f.hint : ""}`,
      field: <DraftInput {...all} {...f} mono={mono} />,
    }));
  return [
    { title: "Limits", options: lines(limitFields) },
    { title: "Supervision", options: supervision(all) },
    { title: "Tools, hosts, files", options: lines(accessFields, true) },
    {
      title: "Checks",
      options: [
        { words: "Only the checks can read hidden folder", field: <CheckDir {...all} /> },
        { words: "Shown to the agent if a check fails output", field: <CheckOutputField {...all} /> },
        { words: "Working folder of checks", field: <CheckFolder {...all} /> },
        { words: "Run shell checks in sandbox machine server ssh again", field: <CheckLocation {...all} /> },
      ],
    },
    {
      title: "Shared with the goal",
      isWide: true,
      options: [
        { words: "Secrets passwords keys", field: <Secrets {...all} /> },
        { words: "Run after wait for other goals dependencies", field: <DependencyPicker {...all} /> },
        { words: "Shared panes terminals pages", field: <Panes {...all} /> },
        { words: "Run without the sandbox unconfined", field: <Unconfined {...all} /> },
      ],
    },
  ];
}

function supervision(all: AdvancedProps): Option[] {
  const { errors } = all;
  return [
    { words: "Critic every turns", field: <CriticEvery {...all} /> },
    {
      words: "Critic's provider",
      field: <ProviderField {...all} name="critic" label="Critic's provider" error={errors.critic?.message} />,
    },
    {
      words: "Provider of judge and reviewer",
      field: (
        <ProviderField {...all} name="judge" label="Provider of judge and reviewer" error={errors.judge?.message} />
      ),
    },
    { words: "Independent review model", field: <ReviewField {...all} /> },
    { words: "If no one answers approvals", field: <OnAskField {...all} /> },
    { words: "The agent's pages size viewport phone tablet desktop", field: <PageSizeField {...all} /> },
    { words: "Show the model a picture after each action in a page vision screenshot", field: <Pictures {...all} /> },
    { words: "Require the agent to plan and verify every change", field: <RequireSteps {...all} /> },
  ];
}

function CheckFolder({ draft, set }: Pick<AdvancedProps, "draft" | "set">) {
  return (
    <Field label="Working folder of checks" hint="inside the goal's folder">
      {(c) => (
        <Input
          {...c}
          data-testid="field-check-dir"
          spellCheck={false}
          placeholder="."
          className="font-mono text-xs"
          value={draft.checks[0]?.dir ?? ""}
          onChange={(e) => set({ checks: draft.checks.map((k) => ({ ...k, dir: e.target.value })) })}
        />
      )}
    </Field>
  );
}

function Unconfined({ draft, set, errors }: AdvancedProps) {
  return (
    <label className="flex items-start gap-2 rounded-md bg-warn-bg px-3 py-2 text-xs">
      <input
        type="checkbox"
        data-testid="field-unconfined"
        className="mt-0.5 accent-(--accent)"
        checked={draft.unconfined}
        onChange={(e) => set({ unconfined: e.target.checked })}
      />
      <span>
        Run without the sandbox, with your full permissions and network access. This is logged.
        {errors.sandbox ? (
          <span role="alert" data-testid="error-sandbox" className="mt-1 block text-bad">
            {errors.sandbox.message} <span className="text-text-muted">{errors.sandbox.hint}</span>
          </span>
        ) : null}
      </span>
    </label>
  );
}

/** Reports whether a model has to be connected before the goal can start. */
export function useNeedsModel(draft: AdvancedProps["draft"]): boolean {
  const providers = useAppState((s) => s.providers);
  const engines = useAnswer("EngineAPI.List").answer ?? [];
  const isLoaded = providers.length > 0; // the demonstration is always one of them
  const isDemo = providers.some((p) => p.scripted && p.id === draft.model);
  const hasEngine = engines.some(
    (e) => e.id !== "model" && e.path !== "" && (draft.engine ? e.id === draft.engine : e.default),
  );
  return isLoaded && !isDemo && !hasEngine && providers.every((p) => p.scripted);
}
