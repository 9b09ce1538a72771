import { useEffect, useState } from "react";
import type { PageLogins, PaneInfo, PaneOverlay } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon } from "@/ui/icons";
import { Popover } from "./popover";
import { noAnswer } from "./prompttext";

const host = (origin: string) => origin.replace(/^https?:\/\//, "");

/**
 * Asks whether to save the login that the user has just used. It covers a part of the page instead of taking space
 * from it: it appears while the button that sent the login may still be pressed, and the page must not move at that
 * moment.
 */
export function SaveLoginPrompt({ pane, overlay }: { pane: PaneInfo; overlay: PaneOverlay }) {
  const app = useApp();
  const question = overlay.questions?.find((q) => q.kind === "save_login");
  if (!question) return null;
  const answer = (yes: boolean) => void app.ask("BrowserAPI.Answer", pane.id, { ...noAnswer, id: question.id, yes });
  return (
    <Popover
      stays
      role="status"
      data-testid="save-login"
      data-user={question.value}
      className="flex flex-wrap items-center justify-end gap-2 py-1.5 pr-1.5 pl-3 text-xs text-text-muted"
      onClose={() => answer(false)}
    >
      {/* In a narrow pane the buttons go below the text. */}
      <span className="selectable min-w-0 grow basis-48 break-words">
        {question.multiple ? "Replace the saved password of " : "Save the login of "}
        <b>{question.value}</b> on {host(question.origin)}?
      </span>
      <Button look="primary" data-testid="save-login-yes" onClick={() => answer(true)}>
        {question.multiple ? "Replace" : "Save"}
      </Button>
      <Button data-testid="save-login-no" onClick={() => answer(false)}>
        Not now
      </Button>
    </Popover>
  );
}

/** The saved logins of the page's origin, to choose from. */
export function Logins({ pane, onClose }: { pane: PaneInfo; onClose: () => void }) {
  const app = useApp();
  const [known, setKnown] = useState<PageLogins | null>(null);
  useEffect(() => {
    void app.ask("BrowserAPI.Logins", pane.id).then((found) => setKnown(found ?? null));
  }, [app, pane.id, pane.url]);
  const users = known?.users ?? [];
  const fill = (user: string) => {
    onClose();
    void app.ask("BrowserAPI.FillLogin", pane.id, user);
  };
  return (
    <Popover data-testid="logins" className="appear flex w-72 flex-col p-2 text-xs" onClose={onClose}>
      <header className="flex items-center gap-2 pb-1 text-text-muted">
        <span className="min-w-0 flex-1 truncate">Logins of {host(known?.origin ?? pane.url)}</span>
        <IconButton autoFocus label="Close" data-testid="logins-close" onClick={onClose}>
          <CloseIcon size={12} />
        </IconButton>
      </header>
      {users.map((user) => (
        <button
          key={user}
          type="button"
          data-testid="login"
          data-user={user}
          className="h-8 truncate rounded-md px-2 text-left hover:bg-surface-hover"
          onClick={() => fill(user)}
        >
          {user}
        </button>
      ))}
      {known && users.length === 0 ? (
        <p className="px-2 py-1 text-text-faint">No saved logins. Goalpost offers to save one when you log in.</p>
      ) : null}
    </Popover>
  );
}
