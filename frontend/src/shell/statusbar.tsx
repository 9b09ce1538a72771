import { money } from "@/lib/bytes";
import type { GoalView, Provider } from "@/bridge/types";
import { isLive } from "@/store/goalcards";
import { summary } from "@/store/goals";
import { useApp, useAppState, useKeyLabel } from "@/store/context";
import { limitUse, useSpendToday } from "@/features/goals/spendtoday";
import { Dot } from "@/ui/badge";
import { Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";

/** The overall state in one line. */
export function StatusBar() {
  const app = useApp();
  const byId = useAppState((s) => s.goals.byId);
  const route = useAppState((s) => s.route);
  const tab = useAppState((s) => s.goalTab);
  const isOpened = useAppState((s) => s.openedGoal !== "");
  const provider = useAppState((s) => s.providers.find((p) => p.active));
  const view = useAppState((s) => s.detail.view);
  const { by } = summary(byId);
  const facts = { running: by.running.length, needs: by.needs_you.length };

  return (
    <footer
      data-testid="status-bar"
      className={cx(
        "flex h-[26px] shrink-0 items-center gap-4 overflow-hidden border-t border-border",
        "bg-surface px-3 text-2xs whitespace-nowrap text-text-faint max-[640px]:hidden",
      )}
    >
      <Fact>
        <Dot tone={facts.running > 0 ? "accent" : "calm"} live={facts.running > 0} />
        <b className="font-semibold text-text">{facts.running}</b> running
      </Fact>
      {facts.needs > 0 ? (
        <button
          type="button"
          data-testid="status-needs-you"
          className="flex items-center gap-1.5 hover:text-text"
          title="Show what is waiting for you"
          onClick={() => void app.approvals.open()}
        >
          <Dot tone="warn" />
          <b className="font-semibold text-text">{facts.needs}</b> {facts.needs === 1 ? "needs" : "need"} you
        </button>
      ) : null}
      <Sandbox />
      <Model provider={provider} goal={view} />
      <SpendFact goal={view} />
      <Update />
      <span className="flex-1" />
      {route === "goals" ? (
        <span className="flex items-center gap-1.5 max-[1280px]:hidden">
          {tab === "checks" ? (
            <>
              <Kbd>j k</Kbd> next check <Kbd>W</Kbd> why
            </>
          ) : (
            <>
              <Kbd>j k</Kbd> move <Kbd>Enter</Kbd> {isOpened ? "open in workspace" : "open"}
            </>
          )}{" "}
          <Kbd>P</Kbd> pause <Kbd>S</Kbd> steer
        </span>
      ) : null}
      <button
        type="button"
        data-testid="status-palette"
        className="flex items-center gap-1.5 hover:text-text"
        onClick={() => app.set({ paletteOpen: true })}
      >
        <PaletteKey /> <span className="max-[800px]:hidden">commands</span>
      </button>
    </footer>
  );
}

function PaletteKey() {
  return <Kbd>{useKeyLabel("palette", "Ctrl+Shift+P")}</Kbd>;
}

/** Says that a newer program waits for the host process to end. */
function Update() {
  const app = useApp();
  const version = useAppState((s) => s.updateWaits);
  if (!version) return null;
  return (
    <button
      type="button"
      data-testid="status-update"
      className="text-accent hover:text-text"
      title="What runs belongs to another version of Goalpost, which this window shows"
      onClick={() => app.startUpdate()}
    >
      {version} is installed · restart
    </button>
  );
}

function Sandbox() {
  const sandbox = useAppState((s) => s.findings.find((f) => f.id === "sandbox"));
  return (
    <Fact testid="status-sandbox" title={sandbox?.detail}>
      {sandbox?.state === "ok" ? (
        <>
          sandbox <b className="font-semibold text-text">on</b>
        </>
      ) : (
        <span className={sandbox?.state === "bad" ? "text-bad" : "text-warn"}>
          sandbox: {sandbox?.state === "bad" ? "unavailable" : "limited"}
        </span>
      )}
    </Fact>
  );
}

/** Today's spending and the limit. */
function SpendFact({ goal }: { goal: GoalView | null }) {
  const app = useApp();
  const today = useSpendToday();
  if (!today || (today.usd === 0 && today.limit_usd === 0)) return null;
  const { state } = limitUse(today);
  const tone = { ok: "text-text", near: "text-warn", reached: "text-bad" }[state];
  return (
    <button
      type="button"
      data-testid="status-spend"
      data-state={state}
      className="flex items-center gap-1.5 hover:text-text"
      title={state === "reached" ? "The daily limit is reached: goals wait until tomorrow" : "Spent today by all goals"}
      onClick={() => app.openSettings("Daily limit")}
    >
      <b className={cx("font-semibold", tone)}>{money(today.usd)}</b>
      {today.limit_usd > 0 ? <span>of {money(today.limit_usd)}</span> : null} today
      {state === "reached" ? <span className="text-bad">· limit reached</span> : null}
      {goal && goal.max_usd > 0 ? (
        <span className="max-[1000px]:hidden">
          · this goal {money(goal.usd)} / {money(goal.max_usd)}
        </span>
      ) : null}
    </button>
  );
}

interface ModelProps {
  provider: Provider | undefined;
  goal: GoalView | null;
}

/** The model of the selected goal while it is active, otherwise that of a new goal. */
function Model({ provider, goal }: ModelProps) {
  if (goal && isLive(goal)) {
    return (
      <Fact testid="status-model" title="Model of the selected goal">
        {goal.scripted ? "demo · scripted, no AI" : goal.model || goal.provider}
      </Fact>
    );
  }
  if (!provider) return <NoModel />;
  return (
    <Fact testid="status-model" title={provider.note}>
      {provider.model || provider.id}
      {provider.scripted ? <span>· scripted, no AI</span> : null}
      {provider.scripted || provider.ready ? null : (
        <span className="text-warn">· {provider.note || "not tested"}</span>
      )}
    </Fact>
  );
}

/** Opens the dialog that connects a model. */
function NoModel() {
  const app = useApp();
  return (
    <button
      type="button"
      data-testid="status-model"
      className="text-warn hover:text-text"
      onClick={() => app.providers.openConnect({ preset: "" })}
    >
      No model connected
    </button>
  );
}

interface FactProps {
  children: React.ReactNode;
  title?: string | undefined;
  testid?: string;
}

function Fact({ children, title, testid }: FactProps) {
  return (
    <span className="flex items-center gap-1.5" title={title} data-testid={testid}>
      {children}
    </span>
  );
}
