import { useState, type ReactNode } from "react";
import type { Decision, GoalView, PaneInfo, ResumeInput } from "@/bridge/types";
import { clock } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import { toneText } from "@/ui/badge";
import { Button, Kbd } from "@/ui/button";
import { useNow } from "@/ui/clock";
import { goalStatusLabel } from "./words";

/** What the user can do now that the goal has stopped: raise, reopen, answer, accept, resume. */
export function ResumePanel({ view }: { view: GoalView }) {
  const changed = useAppState((s) => s.protectedChanged);
  if (view.queued) return null;
  if (changed?.id === view.id && view.status !== "running") return <Changed view={view} />;
  if (view.status === "completed") return <ReopenPanel view={view} />;
  if (view.exit === "limit_reached") return <RaiseLimitPanel key={view.seq} view={view} />;
  if (view.exit === "parked") return <ProviderWaitPanel view={view} />;
  if (view.waits) return <ManualCheckPanel view={view} />;
  if (view.exit === "stuck" || view.exit === "needs_operator") return <QuestionPanel view={view} />;
  return null;
}

interface BoxProps {
  view: GoalView;
  kind: string;
  title: string;
  children: ReactNode;
}

function PanelBox({ view, kind, title, children }: BoxProps) {
  const said = goalStatusLabel(view);
  const look = said.tone === "warn" ? "border-warn bg-warn-bg" : "border-line2 bg-s2";
  return (
    <section data-testid="answer" data-kind={kind} className={`mt-2.5 rounded-md border px-3 py-2.5 text-xs ${look}`}>
      <p
        className={`selectable font-medium break-words whitespace-pre-wrap ${said.tone === "warn" ? toneText.warn : ""}`}
      >
        {title}
      </p>
      {children}
    </section>
  );
}

interface NoteProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  onSend: () => void;
}

function NoteField({ label, placeholder, value, onChange, onSend }: NoteProps) {
  return (
    <textarea
      data-testid="answer-text"
      aria-label={label}
      rows={2}
      className="field mt-2 resize-y text-xs"
      placeholder={placeholder}
      value={value}
      onChange={(e) => onChange(e.target.value)}
      onKeyDown={(e) => {
        if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) onSend();
      }}
    />
  );
}

/** Holds what is written and whether it is on its way; what was sent is cleared. */
function useNoteForm(send: (text: string) => Promise<boolean>) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (busy) return;
    setBusy(true);
    const ok = await send(text.trim());
    setBusy(false);
    if (ok) setText("");
  };
  return { text, setText, busy, run: () => void run() };
}

function QuestionPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const note = useNoteForm((text) => app.resumeGoal(view.id, { note: text }));
  return (
    <PanelBox view={view} kind={view.exit} title={view.reason}>
      <QuestionPane view={view} />
      <NoteField
        label="Answer for the agent"
        placeholder={view.exit === "stuck" ? "Try another way: …" : "Your answer"}
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="mt-2 flex gap-2">
        <Button look="primary" data-testid="answer-send" disabled={note.busy} onClick={note.run}>
          {note.text.trim() ? "Answer and continue" : "Continue"} <Kbd onAccent>Ctrl↵</Kbd>
        </Button>
      </div>
    </PanelBox>
  );
}

/** Asks what becomes of protected files that were changed, before the goal continues. */
function Changed({ view }: { view: GoalView }) {
  const app = useApp();
  const changed = useAppState((s) => s.protectedChanged);
  const [busy, setBusy] = useState(false);
  if (!changed) return null;
  const decide = async (decision: Decision) => {
    setBusy(true);
    await changed.resume(decision);
    setBusy(false);
  };
  return (
    <PanelBox view={view} kind="protected_changed" title={changed.message}>
      <p className="mt-1 text-t2">
        Keep them, and they decide about the goal from now on. Or put the old versions back: yours are kept aside, and
        the steps say where.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="primary" data-testid="protected-accept" disabled={busy} onClick={() => void decide("accept")}>
          Keep my changes
        </Button>
        <Button data-testid="protected-restore" disabled={busy} onClick={() => void decide("restore")}>
          Put the files back
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => app.set({ protectedChanged: null })}>
          Cancel
        </Button>
      </div>
    </PanelBox>
  );
}

/** Leads to the pane in which the user is to do what the agent asked for. */
function QuestionPane({ view }: { view: GoalView }) {
  const app = useApp();
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === view.asked_pane));
  if (!pane) return null;
  const goals = pane.kind === "browser" && pane.goal_id === view.id;
  const taken = goals && pane.driver === "person";
  const takeOver = async () => {
    if (await app.ask("BrowserAPI.TakeOver", pane.id)) app.showPane(pane.id);
  };
  return (
    <div className="mt-2" data-testid="answer-pane" data-pane={pane.id} data-driver={goals ? pane.driver : ""}>
      <p className="text-t2">{questionText(pane.kind, goals, taken)}</p>
      <div className="mt-2 flex gap-2">
        {goals && !taken ? (
          <Button data-testid="answer-take-over" onClick={() => void takeOver()}>
            Take over
          </Button>
        ) : null}
        <Button data-testid="answer-show-pane" onClick={() => app.showPane(pane.id)}>
          {pane.kind === "browser" ? "Show the page" : "Show the terminal"}
        </Button>
        {taken ? (
          <Button data-testid="answer-hand-back" onClick={() => void app.ask("BrowserAPI.HandBack", pane.id)}>
            Hand back
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function questionText(kind: PaneInfo["kind"], goals: boolean, taken: boolean): string {
  if (taken) return "You drive the page. Hand it back when it is done: the goal continues automatically.";
  if (goals)
    return "Take the page over, do what is asked, and hand it back: the goal continues automatically. Or answer here.";
  return `The ${kind === "browser" ? "page" : "terminal"} is open. Answer here when it is done.`;
}

function ManualCheckPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [back, setBack] = useState(false);
  const note = useNoteForm((text) => app.rejectGoal(view.id, text));
  const what = (view.criterion ?? []).find((c) => c.type === "manual" && c.wait)?.note;
  return (
    <PanelBox view={view} kind="waits" title={what ? `Look at it: ${what}` : "Look at the result: you decide"}>
      {back ? (
        <NoteField
          label="What is wrong"
          placeholder="What should be different?"
          value={note.text}
          onChange={note.setText}
          onSend={note.run}
        />
      ) : null}
      <div className="mt-2 flex gap-2">
        {back ? (
          <>
            <Button
              look="primary"
              data-testid="answer-reject"
              disabled={note.busy || !note.text.trim()}
              onClick={note.run}
            >
              Send back
            </Button>
            <Button look="quiet" onClick={() => setBack(false)}>
              Cancel
            </Button>
          </>
        ) : (
          <>
            <Button look="primary" data-testid="answer-accept" onClick={() => void app.acceptGoal(view.id)}>
              Accept
            </Button>
            <Button data-testid="answer-back" onClick={() => setBack(true)}>
              Send back…
            </Button>
          </>
        )}
      </div>
    </PanelBox>
  );
}

function ReopenPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const full = exhaustedLimits(view);
  const [form, setForm] = useState(() => suggestedLimit(view));
  const limits = full ? resumeInputFor(form) : {};
  const note = useNoteForm(async (text) => limits !== null && app.reopenGoal(view.id, { ...limits, note: text }));
  if (!open) {
    return (
      <Button data-testid="goal-reopen" className="mt-2.5" onClick={() => setOpen(true)}>
        Reopen…
      </Button>
    );
  }
  return (
    <PanelBox
      view={view}
      kind="reopen"
      title={`What is missing? The criterion stays as it is.${full ? " A limit is used up: raise it." : ""}`}
    >
      {full ? <LimitFields form={form} setForm={setForm} /> : null}
      <NoteField
        label="What is missing"
        placeholder="The second page has no title yet"
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="mt-2 flex gap-2">
        <Button
          look="primary"
          data-testid="answer-send"
          disabled={note.busy || !note.text.trim() || !limits}
          onClick={note.run}
        >
          Reopen
        </Button>
        {limits ? null : <LimitError />}
        <Button look="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </PanelBox>
  );
}

function ProviderWaitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const now = useNow(true);
  const left = Date.parse(view.parked_until) - now;
  return (
    <PanelBox view={view} kind="parked" title={view.reason}>
      <p className="mt-1 text-t2 tabular-nums" data-testid="parked-left">
        {left > 0
          ? `It continues automatically in ${clock(left)}.`
          : "It continues as soon as a process looks after it."}
      </p>
      <div className="mt-2 flex gap-2">
        <Button look="primary" data-testid="answer-resume" onClick={() => void app.resumeGoal(view.id)}>
          Resume now
        </Button>
        <Button look="quiet" data-testid="answer-abort" onClick={() => app.abortGoal(view.id)}>
          Abort
        </Button>
      </div>
    </PanelBox>
  );
}

const minute = 60_000;

/** The limits as they would be with as much again of what is used up. */
export function suggestedLimit(view: GoalView): { minutes: string; iterations: string; tokens: string; usd: string } {
  const again = (used: number, limit: number) => (limit > 0 && used >= limit ? used + limit : limit);
  const say = (n: number) => (n > 0 ? String(Math.round(n * 100) / 100) : "");
  return {
    minutes: say(Math.ceil(again(view.spent_ms, view.wall_clock_ms) / minute)),
    iterations: say(again(view.iterations, view.max_iterations)),
    tokens: say(again(view.tokens_in + view.tokens_out, view.max_tokens)),
    usd: say(again(view.usd, view.max_usd)),
  };
}

/** What the form asks Go for; null when something in it is no number. An empty field is no limit. */
export function resumeInputFor(f: ReturnType<typeof suggestedLimit>): Partial<ResumeInput> | null {
  const number = (text: string) => (text.trim() === "" ? -1 : Number(text.trim().replace(/^\$/, "")));
  const values = [f.minutes, f.iterations, f.tokens, f.usd].map(number);
  if (values.some((n) => Number.isNaN(n) || n === 0 || n < -1)) return null;
  const [minutes = -1, iterations = -1, tokens = -1, usd = -1] = values;
  return {
    wall_clock_ms: minutes === -1 ? -1 : Math.round(minutes * minute),
    iterations: Math.round(iterations),
    tokens: Math.round(tokens),
    usd,
  };
}

type LimitForm = ReturnType<typeof suggestedLimit>;

const limitFields: { name: keyof LimitForm; label: string }[] = [
  { name: "minutes", label: "Time, min" },
  { name: "iterations", label: "Iterations" },
  { name: "tokens", label: "Tokens" },
  { name: "usd", label: "Money, $" },
];

function LimitFields({ form, setForm }: { form: LimitForm; setForm: (form: LimitForm) => void }) {
  const ok = resumeInputFor(form) !== null;
  return (
    <div className="mt-2 grid grid-cols-4 gap-2">
      {limitFields.map((f) => (
        <label key={f.name} className="text-t2">
          {f.label}
          <input
            data-testid={`raise-${f.name}`}
            inputMode="decimal"
            placeholder="no limit"
            aria-invalid={!ok}
            className="field mt-0.5 text-xs"
            value={form[f.name]}
            onChange={(e) => setForm({ ...form, [f.name]: e.target.value })}
          />
        </label>
      ))}
    </div>
  );
}

function LimitError() {
  return <span className="text-bad">A limit is a number; empty is no limit.</span>;
}

/** Says whether a limit leaves no room for another run. */
function exhaustedLimits(view: GoalView): boolean {
  const over = (used: number, limit: number) => limit > 0 && used >= limit;
  return (
    over(view.spent_ms, view.wall_clock_ms) ||
    over(view.iterations, view.max_iterations) ||
    over(view.tokens_in + view.tokens_out, view.max_tokens) ||
    over(view.usd, view.max_usd)
  );
}

function RaiseLimitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [form, setForm] = useState(() => suggestedLimit(view));
  const note = useNoteForm(async (text) => {
    const input = resumeInputFor(form);
    return input ? app.resumeGoal(view.id, { ...input, note: text }) : false;
  });
  const ok = resumeInputFor(form) !== null;
  return (
    <PanelBox view={view} kind="limit_reached" title={view.reason}>
      <LimitFields form={form} setForm={setForm} />
      <NoteField
        label="Note for the agent"
        placeholder="A note, if you like"
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="mt-2 flex items-center gap-2">
        <Button look="primary" data-testid="answer-send" disabled={note.busy || !ok} onClick={note.run}>
          Raise and continue
        </Button>
        {ok ? null : <LimitError />}
      </div>
    </PanelBox>
  );
}
