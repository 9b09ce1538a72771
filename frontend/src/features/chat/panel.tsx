import { useEffect, useState, type KeyboardEvent, type PointerEvent } from "react";
import { stripControl } from "@/lib/text";
import { firstGoal } from "@/store/goals";
import { useApp, useAppState } from "@/store/context";
import { openWorkspace } from "@/store/workspaces";
import { Dot } from "@/ui/badge";
import { Button } from "@/ui/button";
import { ChatList } from "./chatlist";
import { Composer } from "./composer";
import { EmptyChat, NoModel } from "./empty";
import { GoalCard } from "./goalcard";
import { Head } from "./head";
import { Messages } from "./messages";

const usualWidth = 468;
const minWidth = 300;
const maxWidth = 900;

/** The chat of the workspace, on the right; on a phone it covers the panes. */
export function ChatPanel() {
  const app = useApp();
  const workspace = useAppState((s) => openWorkspace(s)?.id ?? "");
  const saved = useAppState((s) => s.chatWidth) || usualWidth;
  const [width, setWidth] = useState(saved);
  useEffect(() => app.chat.enter(), [app, workspace]);
  const isList = useAppState((s) => s.chatList);
  return (
    <aside
      aria-label="Chat"
      data-testid="chat-panel"
      style={{ width }}
      // Contained: what changes in it, a key in the field for one, neither lays out nor draws the rest of the window.
      className={
        "relative flex max-w-[70%] shrink-0 flex-col overflow-hidden border-l border-border bg-surface [contain:strict] " +
        "max-[640px]:absolute max-[640px]:inset-0 max-[640px]:z-20 max-[640px]:!w-auto max-[640px]:max-w-none max-[640px]:border-l-0"
      }
    >
      <Grip width={width} onDrag={setWidth} onEnd={(w) => app.chat.resize(w)} />
      <Head />
      <NeedsYouBar />
      {isList ? <ChatList /> : <Conversation />}
    </aside>
  );
}

function Conversation() {
  const app = useApp();
  // Not the whole chat: it changes with each piece of an answer.
  const id = useAppState((s) => s.chat.id);
  const problem = useAppState((s) => s.chat.problem);
  const isLoaded = useAppState((s) => s.chat.isLoaded);
  const hasMessages = useAppState((s) => s.chat.messages.length > 0);
  const hasModel = useAppState((s) => s.providers.length > 0);
  return (
    <>
      {problem ? (
        <div className="m-4 rounded-md bg-bad-bg px-3 py-2 text-xs text-bad" role="alert">
          {stripControl(problem.message)} <span className="text-text-muted">{stripControl(problem.hint)}</span>
          <div className="mt-1.5">
            <Button onClick={() => void app.sync.loadChat(id)}>Try again</Button>
          </div>
        </div>
      ) : hasMessages ? (
        <Messages key={id} />
      ) : !isLoaded ? (
        <p className="flex-1 p-4 text-xs text-text-faint">Reading…</p>
      ) : hasModel ? (
        <EmptyChat />
      ) : (
        <NoModel />
      )}
      <GoalCard />
      {hasModel || hasMessages ? <Composer /> : null}
    </>
  );
}

/** A goal that waits for the user while the chat covers its requests. */
function NeedsYouBar() {
  const app = useApp();
  const id = useAppState((s) => firstGoal(s.goals.byId, ["needs_you"]));
  const objective = useAppState((s) => s.goals.byId[id]?.card.objective);
  if (!objective) return null;
  return (
    <div
      className="flex h-8 shrink-0 items-center gap-2 border-b border-border bg-warn-bg px-3 text-xs max-[640px]:h-12"
      role="status"
      data-testid="chat-needs-you"
    >
      <Dot tone="warn" />
      <span className="min-w-0 flex-1 truncate">
        <b className="font-semibold">{stripControl(objective)}</b> needs you
      </span>
      <Button look="quiet" className="h-6 text-warn" data-testid="chat-review" onClick={() => app.watchGoal(id)}>
        Review
      </Button>
    </div>
  );
}

interface GripProps {
  width: number;
  onDrag: (width: number) => void;
  onEnd: (width: number) => void;
}

/** The left edge, which changes the width: dragged, or moved with the arrows. */
function Grip({ width, onDrag, onEnd }: GripProps) {
  const within = (w: number) => Math.round(Math.min(maxWidth, Math.max(minWidth, w)));
  const at = (e: PointerEvent) =>
    within((e.currentTarget.parentElement?.getBoundingClientRect().right ?? 0) - e.clientX);
  const onKeyDown = (e: KeyboardEvent) => {
    const by = e.code === "ArrowLeft" ? 16 : e.code === "ArrowRight" ? -16 : 0;
    if (by === 0) return;
    e.preventDefault();
    onDrag(within(width + by));
    onEnd(within(width + by));
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label="Width of the chat"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      data-testid="chat-grip"
      className="absolute inset-y-0 left-0 z-10 w-1.5 cursor-col-resize touch-none hover:bg-accent-bg focus-visible:bg-accent max-[640px]:hidden"
      onKeyDown={onKeyDown}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && onDrag(at(e))}
      onPointerUp={(e) => onEnd(at(e))}
    />
  );
}
