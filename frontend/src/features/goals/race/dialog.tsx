import { useEffect, useRef, useState, type ReactNode } from "react";
import type { GoalCard, RaceView, RunnerView, TakeInput } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { plural, shortPath, stripControl } from "@/lib/text";
import { clock } from "@/lib/time";
import { Count } from "@/features/goals/changes/filetree";
import { goalStatusLabel } from "@/features/goals/labels";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { isLive } from "@/store/goalcards";
import { useCall } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { Differences } from "./differences";

/** The runners of a race beside one another: how far they are, how they compare, and which one is taken. */
export function RaceDialog() {
  const id = useAppState((s) => s.race);
  return id ? <OpenDialog key={id} id={id} /> : null;
}

function OpenDialog({ id }: { id: string }) {
  const app = useApp();
  const { answer: race, problem, reload } = useCall("RaceAPI.Get", id);
  const cards = useAppState((s) => s.goals.byId);
  const runners = (race?.runners ?? []).map((r) => ({ ...r, goal: cards[r.goal.id]?.card ?? r.goal }));
  useReloadAfterChange(runners, reload);
  const isRanking = useRanking(race, reload);
  const close = () => app.set({ race: "" });
  const canTake = (r: RunnerView) => race?.taken === null && r.rank > 0;
  return (
    <Dialog
      open
      onClose={close}
      title={race ? `Race: ${stripControl(race.objective)}` : "Race"}
      testid="race"
      help="guide/races"
      className="w-[1240px]"
      description="Compares the runners of a race, and takes the changes of one"
      aside={race ? <Summary runners={runners} /> : null}
      onKeyDown={(e) => {
        const r = runners.find((one) => `Digit${one.runner}` === e.code);
        if (!race || !r || !canTake(r) || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        void take(app, race, r, reload);
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">{race ? footnote(race, runners) : ""}</span>
          {race?.taken ? (
            <Button data-testid="race-undo" onClick={() => void undo(app, race, reload)}>
              Undo
            </Button>
          ) : null}
          <Button data-testid="race-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {problem ? (
        <p role="alert" className="py-4 text-xs text-text-muted">
          {problem.message} {problem.hint}
        </p>
      ) : null}
      {race ? (
        <>
          <p className="mb-3 text-xs text-text-muted">
            Same start and same checks for all: <code className="font-mono">{shortPath(race.folder)}</code>
            {race.base ? (
              <>
                {" at "}
                <code className="font-mono">{race.base.slice(0, 7)}</code>
              </>
            ) : (
              ", copied"
            )}
            {(race.checks ?? []).map((words) => (
              <span key={words}> · {withCode(stripControl(words))}</span>
            ))}
          </p>
          <RankedBy race={race} isRanking={isRanking} />
          <ul className="grid auto-cols-fr grid-flow-col gap-3 max-[900px]:grid-flow-row">
            {runners.map((r) => (
              <Runner
                key={r.goal.id}
                runner={r}
                most={mostOf(runners)}
                isTaken={race.taken?.runner === r.runner}
                onTake={canTake(r) ? () => void take(app, race, r, reload) : null}
              />
            ))}
          </ul>
          <Differences runners={runners} />
        </>
      ) : null}
    </Dialog>
  );
}

/** Reads the race again when one of its goals starts, stops or is taken. */
function useReloadAfterChange(runners: readonly RunnerView[], reload: () => Promise<void>) {
  const states = runners.map((r) => `${r.goal.status} ${r.goal.exit} ${r.goal.assurance ?? ""}`).join("|");
  const seen = useRef(states);
  useEffect(() => {
    if (seen.current === states) return;
    const isFirst = seen.current === "";
    seen.current = states;
    if (!isFirst) void reload();
  }, [states, reload]);
}

/** Lets the reviewer rank those that passed, once all have ended. Reports whether it does now. */
function useRanking(race: RaceView | undefined, reload: () => Promise<void>): boolean {
  const app = useApp();
  const [isRanking, setRanking] = useState(false);
  const id = race?.can_rank ? race.id : "";
  useEffect(() => {
    if (!id) return;
    setRanking(true);
    void app
      .ask("RaceAPI.Rank", id)
      .then((ranked) => (ranked ? reload() : undefined))
      .finally(() => setRanking(false));
  }, [app, id, reload]);
  return isRanking;
}

/** Who put the runners into their order. */
function RankedBy({ race, isRanking }: { race: RaceView; isRanking: boolean }) {
  const words = isRanking
    ? "The reviewer compares the changes…"
    : race.ranked_by
      ? `Ranked by ${stripControl(race.ranked_by)}, which saw the changes without names.`
      : race.rank_note
        ? `Here ${stripControl(race.rank_note)}.`
        : "";
  return words ? (
    <p role="status" className="mb-3 text-xs text-text-muted" data-testid="race-ranked-by">
      {words}
    </p>
  ) : null;
}

function Summary({ runners }: { runners: readonly RunnerView[] }) {
  const running = runners.filter((r) => isLive(r.goal)).length;
  const passed = runners.filter((r) => r.rank > 0).length;
  const failed = runners.length - running - passed;
  return (
    <span className="flex shrink-0 items-center gap-2" data-testid="race-summary">
      {running > 0 ? <Badge tone="accent">{running} running</Badge> : null}
      {passed > 0 ? <Badge tone="ok">{passed} passed</Badge> : null}
      {failed > 0 ? <Badge tone="bad">{failed} failed</Badge> : null}
    </span>
  );
}

/** The largest values, which fill the bars. */
interface Most {
  ms: number;
  tokens: number;
  usd: number;
}

const tokensOf = (g: GoalCard) => g.tokens_in + g.tokens_out;

const mostOf = (runners: readonly RunnerView[]): Most => ({
  ms: Math.max(1, ...runners.map((r) => r.goal.spent_ms)),
  tokens: Math.max(1, ...runners.map((r) => tokensOf(r.goal))),
  usd: Math.max(0.000_001, ...runners.map((r) => r.goal.usd)),
});

interface RunnerProps {
  runner: RunnerView;
  most: Most;
  isTaken: boolean;
  /** `null` if it cannot be taken. */
  onTake: (() => void) | null;
}

function Runner({ runner: r, most, isTaken, onTake }: RunnerProps) {
  const app = useApp();
  const g = r.goal;
  const status = goalStatusLabel(g);
  const isFirst = r.rank === 1;
  return (
    <li
      data-testid="race-runner"
      data-runner={r.runner}
      className={cx(
        "flex min-w-0 flex-col rounded-lg border bg-surface text-xs",
        isFirst || isTaken ? "border-accent" : "border-border",
      )}
    >
      <div className="flex flex-col gap-2 border-b border-border p-3">
        <div className="flex min-w-0 items-center gap-2">
          <span
            className="grid size-6 shrink-0 place-items-center rounded-sm bg-surface-hover font-semibold tabular-nums"
            title={r.rank > 0 ? `Rank ${r.rank}` : "Not ranked"}
          >
            {r.rank || "–"}
          </span>
          <span className="truncate text-sm font-semibold">{stripControl(r.engine_name)}</span>
          <span className="min-w-0 flex-1 truncate text-text-muted">
            {r.login ? "own sign-in" : stripControl(r.model)}
          </span>
          {isTaken ? <Badge tone="ok">Taken</Badge> : isFirst ? <Badge tone="accent">Ranked first</Badge> : null}
        </div>
        <div className="flex min-w-0 items-center gap-2">
          <Badge tone={status.tone} live={status.live}>
            {status.words}
          </Badge>
          <span data-testid="race-step" className="truncate text-text-muted">
            {isLive(g) ? `step ${g.steps}` : `in ${plural(g.steps, "step")}`}
          </span>
        </div>
      </div>
      <dl className="flex flex-col gap-2 border-b border-border p-3">
        <Row
          label="Checks"
          value={`${g.checks_passed} of ${g.checks}`}
          share={g.checks_passed / Math.max(1, g.checks)}
        />
        <Row label="Time" value={clock(g.spent_ms)} share={g.spent_ms / most.ms} />
        <Row label="Tokens" value={r.login ? "not counted" : count(tokensOf(g))} share={tokensOf(g) / most.tokens} />
        <Row label="Money" value={g.usd > 0 ? money(g.usd) : "–"} share={g.usd / most.usd} />
        <div className="flex items-baseline gap-2">
          <dt className="w-14 shrink-0 text-text-muted">Files</dt>
          <dd className="flex min-w-0 flex-1 items-baseline gap-2" data-testid="race-files">
            {r.unavailable ? (
              <span className="min-w-0 flex-1 text-text-faint">{stripControl(r.unavailable)}</span>
            ) : (
              <>
                <span className="min-w-0 flex-1 truncate text-text-muted">{fileNames(r)}</span>
                <span className="font-semibold tabular-nums">{r.files?.length ?? 0}</span>
                <Count added={r.added} removed={r.removed} />
              </>
            )}
          </dd>
        </div>
      </dl>
      <p data-testid="race-why" className="flex-1 p-3 text-text-muted">
        {stripControl(r.rank > 0 || isLive(g) ? r.why : `Not ranked: ${r.why}`)}
      </p>
      <div className="flex flex-wrap items-center gap-2 border-t border-border p-3">
        {onTake ? (
          <Button look={isFirst ? "primary" : "plain"} data-testid="race-take" onClick={onTake}>
            Take this one
            <Kbd onAccent={isFirst}>{r.runner}</Kbd>
          </Button>
        ) : null}
        <Button
          look="quiet"
          data-testid="race-open"
          onClick={() => {
            app.set({ race: "" });
            app.openGoal(g.id);
          }}
        >
          Open
        </Button>
        <span className="min-w-0 flex-1 truncate text-right font-mono text-text-faint" title={r.dir}>
          {stripControl(r.branch) || shortPath(r.dir)}
        </span>
      </div>
    </li>
  );
}

function fileNames(r: RunnerView): string {
  const names = (r.files ?? []).map((f) => stripControl(f.path.split("/").at(-1) ?? f.path));
  const shown = names.slice(0, 2).join(", ");
  return names.length > 2 ? `${shown}, ${names.length - 2} more` : shown;
}

function Row({ label, value, share }: { label: string; value: string; share: number }) {
  return (
    <div className="flex items-center gap-2">
      <dt className="w-14 shrink-0 text-text-muted">{label}</dt>
      <span aria-hidden className="h-1 flex-1 overflow-hidden rounded-full bg-surface-hover">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.round(Math.min(1, share) * 100)}%` }}
        />
      </span>
      <dd className="min-w-16 text-right font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

function footnote(race: RaceView, runners: readonly RunnerView[]): string {
  if (race.taken) {
    const commit = race.taken.commit ? `, committed to ${race.taken.branch} (${race.taken.commit.slice(0, 7)})` : "";
    const until = new Date(race.taken.until).toLocaleDateString();
    return `Runner ${race.taken.runner} is in your folder${commit}. The folders of all runners are kept until ${until}.`;
  }
  if (runners.some((r) => isLive(r.goal))) return "A runner can be taken when it has passed its checks.";
  return "After you take one, the others are kept for 7 days.";
}

/** Asks whether to commit, and what becomes of files that are different in the user's folder. */
async function take(app: App, race: RaceView, r: RunnerView, reload: () => Promise<void>) {
  const input: TakeInput = { force: [], keep: [], commit: false, message: "", dry_run: true };
  const plan = await app.ask("RaceAPI.Take", race.id, r.runner, input);
  if (!plan) return;
  const conflicts = (plan.conflicts ?? []).map((c) => c.path);
  const run = async (part: Partial<TakeInput>) => {
    const out = await app.ask("RaceAPI.Take", race.id, r.runner, { ...input, dry_run: false, ...part });
    if (!out) return;
    const committed = out.commit ? `, and committed to ${out.branch}` : "";
    app.notices.done(`${plural((out.done ?? []).length, "file")} put into ${shortPath(out.folder)}${committed}.`);
    await reload();
  };
  if (conflicts.length > 0) {
    app.confirm({
      title: "Overwrite files that are different in your folder?",
      text: `Not what the race began with, in ${race.folder}: ${conflicts.join(", ")}. Undo restores everything.`,
      yes: "Overwrite and take",
      danger: true,
      run: () => run({ force: conflicts }),
      other: { label: "Take the rest", run: () => run({ keep: conflicts }) },
    });
    return;
  }
  app.confirm({
    title: `Take runner ${r.runner}?`,
    text: `What it changed is put into ${race.folder}: ${plural((plan.done ?? []).length, "file")}. Undo restores them.`,
    yes: "Take this one",
    danger: false,
    run: () => run({}),
    ...(race.base ? { other: { label: "Take and commit", run: () => run({ commit: true }) } } : {}),
  });
}

async function undo(app: App, race: RaceView, reload: () => Promise<void>) {
  const out = await app.ask("RaceAPI.Undo", race.id, { paths: [], force: [], step: 0, redo: false, dry_run: false });
  if (!out) return;
  const skipped = (out.skipped ?? []).length;
  const left =
    skipped > 0 ? ` ${plural(skipped, "file")} edited since ${skipped === 1 ? "was" : "were"} left alone.` : "";
  app.notices.done(`${plural((out.done ?? []).length, "file")} restored.${left}`);
  await reload();
}

/** Shows what is between backticks as code. */
function withCode(words: string): ReactNode {
  return words.split("`").map((part, i) =>
    i % 2 === 1 ? (
      <code key={`${i} ${part}`} className="font-mono">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
