import type { ReactNode } from "react";
import { money } from "@/lib/bytes";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { cx } from "@/ui/cx";
import type { AdvancedProps } from "./advancedprops";
import { effectiveEngine, EnginePicker, ownLoop } from "./enginepicker";
import type { Panel } from "./errors";
import { minutes } from "./formats";
import { describeAllowed, describeExtraAccess, describeWork, hostsWithoutEffect } from "./labels";
import { SpendWarnings, TimeAndMoney } from "./limits";
import { chosenProvider, describeModel, ModelField } from "./modelfield";
import { Risks } from "./risks";
import { WorkField } from "./scope";
import { PersonaField } from "./supervision";
import { useDebouncedCall } from "./usedebouncedcall";

interface SentenceProps extends AdvancedProps {
  panel: Panel;
  onPanel: (panel: Panel) => void;
}

/** What the goal may do, in one sentence. Its dotted words open their choice below it. */
export function Sentence({ draft, set, errors, panel, onPanel }: SentenceProps) {
  const chosen = useAppState((s) => chosenProvider(s.providers, draft));
  const engines = useAnswer("EngineAPI.List").answer ?? [];
  const engine = effectiveEngine(engines, draft);
  const { may, asks } = describeAllowed(draft.risk, draft.dir, draft.allow_hosts);
  const word = (opens: Panel, text: ReactNode) => (
    <Word opens={opens} panel={panel} onPanel={onPanel}>
      {text}
    </Word>
  );
  const persona = usePersona(draft);
  return (
    <section className="rounded-md bg-surface-hover px-3 py-2.5 text-xs" aria-label="What the goal may do">
      <p className="leading-5 text-text-muted max-[640px]:leading-11" data-testid="allowed-words">
        The agent works as {word("persona", persona.name)}
        {persona.word ? ` (“${persona.word}” in the objective)` : ""}. It may {word("risk", may)}. {asks} It works with{" "}
        {word("model", engine && engine.id !== ownLoop ? engine.name : describeModel(draft, chosen))},{" "}
        {word("limits", describeLimits(draft))}.
        <Warnings draft={draft} />
      </p>
      <SpendWarnings draft={draft} chosen={chosen} />
      {panel === "risk" || panel === "model" || panel === "limits" || panel === "persona" ? (
        <div className="mt-2.5 flex flex-col gap-3 border-t border-border pt-2.5" data-testid={`panel-${panel}`}>
          <Choice panel={panel} draft={draft} set={set} errors={errors} />
        </div>
      ) : null}
    </section>
  );
}

/** The persona that the goal will have, and the word of the objective that chose it. */
function usePersona({ persona, objective, dir }: AdvancedProps["draft"]) {
  const app = useApp();
  const inferred = useDebouncedCall(`${objective}\n${dir}`, { name: "engineer", word: "" }, () =>
    app.bridge.call("LibraryAPI.InferPersona", objective, dir),
  );
  return persona ? { name: persona, word: "" } : inferred;
}

function describeLimits({ wall_clock_ms, usd }: AdvancedProps["draft"]): string {
  const time = wall_clock_ms > 0 ? `at most ${minutes.format(wall_clock_ms)} min` : "no time limit";
  return `${time}, ${usd > 0 ? `at most ${money(usd)}` : "no money limit"}`;
}

function Choice({ panel, ...all }: AdvancedProps & { panel: Panel }) {
  if (panel === "persona") return <PersonaField {...all} />;
  if (panel === "limits") return <TimeAndMoney {...all} />;
  if (panel === "model") {
    return (
      <>
        <EnginePicker {...all} />
        <ModelField {...all} />
      </>
    );
  }
  return (
    <>
      <Risks risk={all.draft.risk} error={all.errors.risk} onChange={(risk) => all.set({ risk })} />
      <WorkField {...all} />
    </>
  );
}

interface WordProps extends Pick<SentenceProps, "panel" | "onPanel"> {
  opens: Panel;
  children: ReactNode;
}

/** Words of the sentence that open a choice. They are no button element, which would not wrap within the sentence. */
function Word({ opens, panel, onPanel, children }: WordProps) {
  const choose = () => onPanel(panel === opens ? "" : opens);
  return (
    <span
      role="button"
      tabIndex={0}
      data-testid={`say-${opens}`}
      title="Click to change"
      aria-expanded={panel === opens}
      className={cx(
        "cursor-default rounded-xs font-medium text-text underline decoration-text-faint decoration-dotted max-[640px]:py-[15px]",
        "underline-offset-4 hover:decoration-accent",
        panel === opens && "bg-accent-bg",
      )}
      onClick={choose}
      onKeyDown={(e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        choose();
      }}
    >
      {children}
    </span>
  );
}

/** What deserves attention, also while the options that say it are closed. */
function Warnings({ draft }: Pick<AdvancedProps, "draft">) {
  const sandbox = useAppState((s) => s.findings.find((f) => f.id === "sandbox"));
  const idle = hostsWithoutEffect(draft.risk, draft.allow_hosts);
  const work = describeWork(draft);
  const extra = describeExtraAccess(draft);
  return (
    <>
      {work ? <span data-testid="work-words"> {work}</span> : null}
      {extra ? <span className="text-warn"> {extra}</span> : null}
      {idle ? (
        <span className="text-warn" data-testid="idle-hosts">
          {" "}
          {idle}
        </span>
      ) : null}
      {draft.unconfined ? (
        <span className="text-warn"> No sandbox: programs run with your full permissions.</span>
      ) : null}
      {sandbox?.state === "bad" && !draft.unconfined ? (
        <span className="text-warn"> The sandbox is unavailable on this machine.</span>
      ) : null}
    </>
  );
}
