import { useEffect, useRef, useState, type ReactNode } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { DoctorFinding, FoundServer, PresetView } from "@/bridge/types";
import { PresetCards } from "@/connect/cards";
import { preselect } from "@/connect/presets";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { toneText, type StatusTone } from "@/ui/badge";
import { Button, Kbd } from "@/ui/button";
import { CheckIcon, ChevronIcon, CrossIcon, Mark, PlayIcon, WarnIcon } from "@/ui/icons";

const looks: Record<DoctorFinding["state"], { tone: StatusTone; icon: typeof CheckIcon; words: string }> = {
  ok: { tone: "ok", icon: CheckIcon, words: "Fine" },
  warn: { tone: "warn", icon: WarnIcon, words: "Limited" },
  bad: { tone: "bad", icon: CrossIcon, words: "Not working" },
};

/** The first start: connect a model, watch a goal, and see what works on this computer. */
export function WelcomePage() {
  const app = useApp();
  const presets = useAppState((s) => s.presets);
  const servers = useAppState((s) => s.foundServers);
  const provider = useAppState((s) => s.providers.find((p) => p.active));
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    void app.providers.loadOffers();
  }, [app]);
  const current = presets.find((p) => p.id === (chosen || preselect(presets, servers)));
  const open = (preset: string) => app.providers.openConnect({ preset });
  const leave = () => {
    void app.settings.markWelcomed();
    app.go("workspace");
  };
  return (
    <main className="flex h-full flex-col overflow-y-auto" data-testid="welcome">
      <div className="mx-auto flex w-full max-w-[780px] flex-1 flex-col px-6 pt-[5vh] max-[640px]:px-4 max-[640px]:pt-4">
        <header className="flex items-start gap-4">
          <span className="max-[640px]:hidden">
            <Mark size={36} />
          </span>
          <div className="min-w-0 flex-1">
            <h1 className="text-[20px] leading-7 font-semibold">Welcome to Goalpost</h1>
            <p className="text-text-muted">
              Describe what should be true when the work is done. An agent works in terminals and browsers until your
              check passes. It cannot edit the check.
            </p>
          </div>
          <Button look="quiet" data-testid="skip-welcome" onClick={leave}>
            Skip setup
          </Button>
        </header>

        <div className="mt-6 mb-2 flex flex-wrap items-baseline gap-x-2">
          <h2 className="font-semibold">Connect a model</h2>
          <p className="text-xs text-text-faint">
            {provider ? `${provider.id} is connected.` : "The only step you need. Keys are stored encrypted."}
          </p>
        </div>
        <PresetCards chosen={current?.id ?? ""} onChoose={setChosen} onOpen={open} />

        <section
          className={
            "mt-3 flex items-center gap-4 rounded-lg border border-border-strong bg-surface-raised p-4 " +
            "max-[640px]:flex-col max-[640px]:items-stretch"
          }
        >
          <div className="min-w-0 flex-1" data-testid="welcome-choice">
            {current ? <Choice preset={current} servers={servers} /> : <p className="text-text-faint">Checking…</p>}
          </div>
          <Button
            look="primary"
            data-testid="welcome-connect"
            className="h-8 px-3.5"
            disabled={!current}
            onClick={() => current && open(current.id)}
          >
            {current ? `Continue with ${current.name}` : "Continue"} <Kbd onAccent>Enter</Kbd>
          </Button>
        </section>

        <section className="mt-2 flex items-center gap-3 px-4 py-2">
          <span className="text-accent">
            <PlayIcon size={14} />
          </span>
          <p className="min-w-0 flex-1 text-xs text-text-muted">
            <b className="font-medium text-text">Not ready?</b> A demo goal fails its check, fixes the mistake and
            passes in under a minute. It is scripted, no AI.
          </p>
          <Button data-testid="run-demo" onClick={() => void app.goals.runDemo()}>
            Watch the demo
          </Button>
        </section>
        <span className="flex-1" />
        <ThisComputer />
      </div>
    </main>
  );
}

/** What was found for the selected preset, what it costs, and where data goes. */
function Choice({ preset, servers }: { preset: PresetView; servers: readonly FoundServer[] | null }) {
  const found = servers?.find((s) => s.preset === preset.id);
  const lines = (first: ReactNode, second: string) => (
    <>
      <p>{first}</p>
      <p className="text-xs text-text-muted">{second}</p>
    </>
  );
  if (found) {
    const [first, ...rest] = found.models ?? [];
    const more = rest.length > 0 ? ` and ${rest.length} more ${rest.length === 1 ? "model" : "models"}` : "";
    return lines(
      <>
        <b className="font-semibold">{preset.name}</b> is running at{" "}
        <span className="font-mono text-xs">{found.base_url.replace(/^https?:\/\//, "").replace(/\/v1$/, "")}</span>
      </>,
      first
        ? `${first}${more}. Free, and nothing leaves this computer.`
        : `It has no model yet. Download one in ${preset.name} first.`,
    );
  }
  if (preset.local) {
    return lines(
      <>
        <b className="font-semibold">{preset.name}</b> is not running
      </>,
      "Start it, then continue. Its models are free, and nothing leaves this computer.",
    );
  }
  if (preset.has_key) {
    return lines(
      <>
        <b className="font-semibold">{preset.key_variable}</b> is set
      </>,
      `The key can be read from the environment. ${preset.name} charges for its use.`,
    );
  }
  return lines(
    <>
      <b className="font-semibold">{preset.name}</b> needs an API key
    </>,
    `You paste it in the next step. ${preset.name} charges for its use and receives what the agent reads.`,
  );
}

/** A summary of this computer at the foot of the window. With its details it is part of the page, so that it covers nothing. */
function ThisComputer() {
  const app = useApp();
  const findings = useAppState((s) => s.findings);
  const doctored = useAppState((s) => s.doctored);
  const [opened, setIsOpen] = useState(false);
  const dialog = useAppState((s) => s.connecting !== null);
  const isOpen = opened && !dialog; // what lies below a dialog is not read
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) section.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const rows = findings.filter((f) => f.id !== "model");
  const limited = rows.filter((f) => f.state !== "ok");
  const broken = limited.filter((f) => f.state === "bad");
  return (
    <section
      ref={section}
      className={`bg-bg py-3 ${isOpen ? "" : "sm:[@media(min-height:640px)]:sticky sm:[@media(min-height:640px)]:bottom-0"}`}
    >
      <button
        type="button"
        data-testid="computer-details"
        aria-expanded={isOpen}
        className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-border bg-surface px-4 py-2 text-xs"
        onClick={() => setIsOpen(!isOpen)}
      >
        <b className="font-semibold">This computer</b>
        {!doctored && rows.length === 0 ? <span className="breathe text-text-faint">Checking…</span> : null}
        {rows.length > 0 && limited.length === 0 ? <span className="text-ok">All good</span> : null}
        {broken.map((f) => (
          <span key={f.id} className={toneText.bad}>
            {f.title} does not work
          </span>
        ))}
        {limited.length > broken.length ? (
          <span className="text-text-muted" data-testid="computer-limits">
            {broken.length > 0 ? "" : "Ready, "}
            {plural(limited.length - broken.length, "limit")}
          </span>
        ) : null}
        <span className="flex-1" />
        <span className="text-text-muted">Details</span>
        <span className={isOpen ? "rotate-90" : ""}>
          <ChevronIcon size={12} />
        </span>
      </button>
      {isOpen ? (
        <div className="mt-2 rounded-lg border border-border bg-surface">
          <ul data-testid="checklist">
            {rows.map((f) => (
              <FindingLine key={f.id} finding={f} />
            ))}
            {rows.length === 0 ? <li className="px-4 py-3 text-text-faint">No results.</li> : null}
          </ul>
          <div className="border-t border-border px-4 py-2">
            <Button data-testid="check-again" onClick={() => void app.settings.loadFindings()}>
              Check again
            </Button>{" "}
            <Button
              look="quiet"
              data-testid="copy-report"
              onClick={() =>
                void writeClipboard(describeFindings(findings)).then((ok) => ok && app.notices.done("Report copied"))
              }
            >
              Copy report
            </Button>
          </div>
        </div>
      ) : null}
    </section>
  );
}

/** All findings, with the details that the rows leave out. */
function describeFindings(findings: readonly DoctorFinding[]): string {
  return findings
    .map((f) => [`${f.state} ${f.title}: ${f.detail}`, f.facts, f.hint].filter(Boolean).join("\n    ") + "\n")
    .join("");
}

function FindingLine({ finding }: { finding: DoctorFinding }) {
  const look = looks[finding.state];
  return (
    <li
      data-testid="finding"
      data-id={finding.id}
      data-state={finding.state}
      className="flex gap-3 border-b border-border px-4 py-2.5 text-left last:border-b-0"
    >
      <span className={`pt-0.5 ${toneText[look.tone]}`}>
        <look.icon size={15} />
        <span className="sr-only">{look.words}</span>
      </span>
      <div className="selectable min-w-0 flex-1">
        <p className="font-medium">{finding.title}</p>
        {finding.detail ? <p className="text-xs break-words text-text-muted">{finding.detail}</p> : null}
        {finding.hint ? <p className="mt-0.5 text-xs break-words text-text-faint">{finding.hint}</p> : null}
      </div>
    </li>
  );
}
