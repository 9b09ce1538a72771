import { useEffect, useRef, useState } from "react";
import type { UserPrompt } from "@/bridge/types";
import { Button } from "@/ui/button";
import { promptText, type AnswerPrompt } from "./prompttext";
import { pickFiles } from "./upload";
import { useApp } from "@/store/context";
import { cx } from "@/ui/cx";
import { Input } from "@/ui/input";

const fieldSize = "h-7 px-2 text-xs";

interface Login {
  user: string;
  password: string;
}

interface BoxProps {
  question: UserPrompt;
  reply: AnswerPrompt;
}

/** A prompt of the page or of Chromium, drawn over the page: dialog, permission, login, certificate, file. */
export function QuestionBox({ question, reply }: BoxProps) {
  const app = useApp();
  const words = promptText(question);
  const [text, setText] = useState(question.value);
  const [login, setLogin] = useState<Login>({ user: "", password: "" });
  const [sending, setSending] = useState(false);
  const first = useRef<HTMLElement | null>(null);
  const danger = question.kind === "certificate";
  // Enter that was meant for the page must not confirm these.
  const isRisky = danger || question.kind === "permission";

  useEffect(() => first.current?.focus(), []);

  const yes = async () => {
    if (question.kind !== "files") {
      reply(question, { yes: true, text, ...login });
      return;
    }
    setSending(true);
    const files = await pickFiles(app, question.multiple);
    setSending(false);
    if (files.length > 0) reply(question, { yes: true, files });
  };
  const take = (el: HTMLElement | null) => {
    first.current ??= el;
  };

  return (
    <div className="absolute inset-0 z-20 flex items-start justify-center bg-scrim p-4 pt-10">
      <form
        role="dialog"
        aria-modal
        aria-label={words.title}
        data-testid="question"
        data-kind={question.kind}
        className={cx(
          "appear flex w-full max-w-96 flex-col gap-3 rounded-lg border border-border-strong",
          "bg-surface-raised p-4 shadow-pop",
        )}
        onSubmit={(e) => {
          e.preventDefault();
          void yes();
        }}
        onKeyDown={(e) => {
          if (e.code === "Escape") reply(question);
          e.stopPropagation();
        }}
      >
        <p className="selectable text-sm font-semibold break-words" data-testid="question-title">
          {words.title}
        </p>
        {words.text ? (
          <p
            className="selectable max-h-60 overflow-y-auto text-xs break-words text-text-muted"
            data-testid="question-text"
          >
            {words.text}
          </p>
        ) : null}
        {question.kind === "prompt" ? (
          <Input
            ref={take}
            data-testid="question-input"
            aria-label={words.text}
            className={fieldSize}
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        ) : null}
        {question.kind === "login" ? <LoginFields first={take} login={login} onChange={setLogin} /> : null}
        <div className="flex justify-end gap-2">
          {words.no ? (
            <Button ref={isRisky ? take : undefined} data-testid="question-dismiss" onClick={() => reply(question)}>
              {words.no}
            </Button>
          ) : null}
          <Button
            ref={isRisky ? undefined : take}
            type="submit"
            look={danger ? "danger" : "primary"}
            data-testid="question-accept"
            disabled={sending}
          >
            {sending ? "Sending…" : words.yes}
          </Button>
        </div>
      </form>
    </div>
  );
}

interface LoginFieldsProps {
  /** Set to the element that gets the focus. */
  first: (el: HTMLElement | null) => void;
  login: Login;
  onChange: (login: Login) => void;
}

function LoginFields({ first, login, onChange }: LoginFieldsProps) {
  return (
    <>
      <Input
        ref={first}
        data-testid="question-user"
        aria-label="User name"
        placeholder="User name"
        autoComplete="off"
        className={fieldSize}
        value={login.user}
        onChange={(e) => onChange({ ...login, user: e.target.value })}
      />
      <Input
        data-testid="question-password"
        aria-label="Password"
        placeholder="Password"
        type="password"
        autoComplete="off"
        className={fieldSize}
        value={login.password}
        onChange={(e) => onChange({ ...login, password: e.target.value })}
      />
    </>
  );
}
