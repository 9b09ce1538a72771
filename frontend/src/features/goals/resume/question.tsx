import { useRef, useState } from "react";
import type { GoalView, PaneInfo } from "@/bridge/types";
import { questionIn } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { capitalize, stripControl } from "@/lib/text";
import { Button, Kbd } from "@/ui/button";
import { DiffText } from "@/ui/diff";
import { AgentText } from "@/agent/text";
import { PanelBox } from "./box";
import { ChooseModel, needsModel } from "./choosemodel";
import { NoteField, useNoteForm } from "./note";
import { UnprotectButton, UnprotectFiles, useUnprotect } from "./unprotect";

export function QuestionPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const freed = useUnprotect(view.id);
  const question = questionIn(view);
  const unlock = view.unlock ?? "";
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const note = useNoteForm((text) =>
    app.goals.resume(view.id, freed.chosen.length > 0 ? { note: text, unprotect: freed.chosen } : { note: text }),
  );
  const unanswered = question !== "" && !note.text.trim();
  const send = () => {
    if (!unanswered) {
      note.run();
      return;
    }
    setMissing(true);
    field.current?.querySelector("textarea")?.focus();
  };
  return (
    <PanelBox view={view} kind={view.exit} title={<QuestionTitle question={question} reason={view.reason} />}>
      <QuestionPane view={view} />
      {view.proposal ? <DiffText text={view.proposal} testid="unlock-proposal" className="mt-2 max-h-32" /> : null}
      <div ref={field}>
        <NoteField
          label="Answer for the agent"
          placeholder={view.exit === "stuck" ? "Try another way: …" : question ? "Your answer" : "Note for the agent"}
          value={note.text}
          onChange={note.setText}
          onSend={send}
        />
      </div>
      {missing && unanswered ? (
        <p role="alert" data-testid="answer-missing" className="mt-1 text-bad">
          The agent waits for an answer. Write one, or continue without it.
        </p>
      ) : null}
      <UnprotectFiles choice={freed} />
      <div className="mt-2 flex flex-wrap gap-2">
        {unlock ? (
          <Button
            look="primary"
            data-testid="unlock-allow"
            disabled={note.busy}
            onClick={() => void app.goals.resume(view.id, { note: note.text.trim() || "Yes.", unprotect: [unlock] })}
          >
            Let the agent change {stripControl(unlock)}
          </Button>
        ) : null}
        <Button look={unlock ? "plain" : "primary"} data-testid="answer-send" disabled={note.busy} onClick={send}>
          {question ? "Send answer" : note.text.trim() ? "Send and continue" : "Continue"} <Kbd onAccent>Ctrl↵</Kbd>
        </Button>
        {unlock ? (
          <Button
            data-testid="unlock-deny"
            disabled={note.busy}
            onClick={() => void app.goals.resume(view.id, { note: note.text.trim() || "No, leave it as it is." })}
          >
            Do not
          </Button>
        ) : null}
        {unanswered && !unlock ? (
          <Button data-testid="answer-skip" disabled={note.busy} onClick={note.run}>
            Continue without an answer
          </Button>
        ) : null}
        {needsModel(view) ? <ChooseModel view={view} /> : null}
        {unlock ? null : <UnprotectButton choice={freed} />}
      </div>
    </PanelBox>
  );
}

/** What the goal is paused for, as Markdown: a question is written by the agent. */
function QuestionTitle({ question, reason }: { question: string; reason: string }) {
  return (
    <>
      {question ? "The agent asks: " : null}
      <AgentText
        text={question || capitalize(reason)}
        className="markdown-inline whitespace-normal"
        testid="question"
      />
    </>
  );
}

/** Leads to the pane in which the agent asked the user to do something. */
function QuestionPane({ view }: { view: GoalView }) {
  const app = useApp();
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === view.asked_pane));
  if (!pane) return null;
  const goals = pane.kind === "browser" && pane.goal_id === view.id;
  const taken = goals && pane.driver === "user";
  const takeOver = async () => {
    if (await app.ask("BrowserAPI.TakeOver", pane.id)) app.panes.show(pane.id);
  };
  return (
    <div className="mt-2" data-testid="answer-pane" data-pane={pane.id} data-driver={goals ? pane.driver : ""}>
      <p className="text-text-muted">{questionText(pane.kind, goals, taken)}</p>
      <div className="mt-2 flex gap-2">
        {goals && !taken ? (
          <Button data-testid="answer-take-over" onClick={() => void takeOver()}>
            Take over
          </Button>
        ) : null}
        <Button data-testid="answer-show-pane" onClick={() => app.panes.show(pane.id)}>
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
  if (taken) return "You control the page. Hand it back when you are done: the goal resumes automatically.";
  if (goals)
    return (
      "Take over the page, do what the agent asks, and hand it back: the goal resumes " +
      "automatically. Or answer here."
    );
  return `The ${kind === "browser" ? "page" : "terminal"} is open. Answer here when you are done.`;
}
