import type { Finding } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { toneText, type StatusTone } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { CheckIcon, CrossIcon, Mark, WarnIcon } from "@/ui/icons";

const looks: Record<Finding["state"], { tone: StatusTone; icon: typeof CheckIcon; words: string }> = {
  ok: { tone: "ok", icon: CheckIcon, words: "OK" },
  warn: { tone: "warn", icon: WarnIcon, words: "Limited" },
  bad: { tone: "bad", icon: CrossIcon, words: "Missing" },
};

/** The first start: what works on this machine, and a goal to watch. */
export function WelcomePage() {
  const app = useApp();
  const findings = useAppState((s) => s.findings);
  const doctored = useAppState((s) => s.doctored);
  const leave = () => {
    void app.settings.markWelcomed();
    app.go("workspace");
  };
  return (
    <main className="h-full scroll-pb-16 overflow-y-auto" data-testid="welcome">
      <div className="mx-auto flex min-h-full max-w-[640px] flex-col px-6 pt-[6vh]">
        <Mark size={34} />
        <h1 className="mt-4 text-[22px] leading-7 font-semibold">Goalpost</h1>
        <p className="mt-1 mb-7 max-w-[52ch] text-text-muted">
          Describe what should be true at the end and add a check. An agent works in terminals and browsers until the
          check passes. It cannot change the check.
        </p>

        <section className="rounded-lg border border-border bg-surface p-4">
          <div className="flex items-center gap-4">
            <div className="min-w-0 flex-1">
              <h2 className="font-semibold">Watch a demo</h2>
              <p className="text-xs text-text-muted">
                It opens a terminal and a page, fails its check once, fixes the mistake and passes. No network, under a
                minute, <span className="font-medium text-text">scripted, no AI</span>.
              </p>
            </div>
            <Button
              look="primary"
              data-testid="run-demo"
              className="h-8 px-3.5"
              onClick={() => void app.goals.runDemo()}
            >
              Run the demo goal
            </Button>
          </div>
        </section>

        <Caption as="h2" className="mt-7 mb-2">
          On this machine
        </Caption>
        <ul className="flex flex-col rounded-lg border border-border bg-surface" data-testid="checklist">
          {findings.map((f) => (
            <FindingLine key={f.id} finding={f} onSettings={() => app.go("settings")} />
          ))}
          {findings.length === 0 ? (
            <li className={`px-4 py-3 text-text-faint ${doctored ? "" : "breathe"}`}>
              {doctored ? "No results." : "Checking…"}
            </li>
          ) : null}
        </ul>
        {/* At the bottom from the first moment: it does not jump away from the mouse when the list fills. */}
        <div className="sticky bottom-0 mt-auto flex items-center gap-2 bg-bg py-3">
          <Button data-testid="check-again" onClick={() => void app.settings.loadFindings()}>
            Check again
          </Button>
          <span className="flex-1" />
          <Button look="quiet" data-testid="skip-welcome" onClick={leave}>
            Skip setup
          </Button>
        </div>
      </div>
    </main>
  );
}

function FindingLine({ finding, onSettings }: { finding: Finding; onSettings: () => void }) {
  const look = looks[finding.state];
  return (
    <li
      data-testid="finding"
      data-id={finding.id}
      data-state={finding.state}
      className="flex gap-3 border-b border-border px-4 py-2.5 last:border-b-0"
    >
      <span className={`pt-0.5 ${toneText[look.tone]}`}>
        <look.icon size={15} />
        <span className="sr-only">{look.words}</span>
      </span>
      <div className="selectable min-w-0 flex-1">
        <p className="font-medium">{finding.title}</p>
        {finding.detail ? <p className="text-xs break-words text-text-muted">{finding.detail}</p> : null}
        {finding.hint ? <p className="mt-0.5 font-mono text-2xs break-words text-text-faint">{finding.hint}</p> : null}
      </div>
      {finding.id === "model" && finding.state !== "ok" ? (
        <Button className="self-center" onClick={onSettings}>
          Connect a model
        </Button>
      ) : null}
    </li>
  );
}
