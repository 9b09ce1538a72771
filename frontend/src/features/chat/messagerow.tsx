import { memo } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { ChatMessage } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { answerText } from "@/store/chats";
import { useApp, useAppState } from "@/store/context";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { ChevronIcon, CopyIcon, GoalIcon, PencilIcon, ReloadIcon, SplitIcon } from "@/ui/icons";
import { Answer } from "./answer";
import { SentChip } from "./attachmentchip";

interface MessageRowProps {
  chat: string;
  message: ChatMessage;
  thinking: string;
  isLast: boolean;
  /** An answer is being written: nothing else can be sent or written again. */
  isBusy: boolean;
}

/** One message with what can be done with it. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message } = props;
  return (
    <article
      data-testid="chat-message"
      data-role={message.role}
      data-message={message.id}
      data-state={message.state}
      aria-label={message.role === "user" ? "You" : message.role === "goal" ? "Goal" : "Answer"}
      className={cx("group px-4 pb-1", message.role === "user" ? "pt-3" : "pt-2")}
    >
      {message.role === "user" ? (
        <Question message={message} />
      ) : message.role === "goal" ? (
        <GoalNote message={message} />
      ) : (
        <Answer chat={props.chat} message={message} thinking={props.thinking} isLast={props.isLast} />
      )}
      {message.role === "goal" || message.state === "answering" ? null : (
        <Tools message={message} isBusy={props.isBusy} />
      )}
    </article>
  );
});

function Question({ message }: { message: ChatMessage }) {
  const given = message.attachments ?? [];
  const isEdited = useAppState((s) => s.chatDraft.replaces === message.id);
  return (
    <div className="flex justify-end">
      <div
        className={cx(
          "max-w-[88%] min-w-0 rounded-lg bg-surface-hover px-3 py-2",
          isEdited && "outline-2 outline-accent",
        )}
      >
        {given.length > 0 ? (
          <div className="mb-1.5 flex flex-wrap gap-1.5">
            {given.map((a, i) => (
              <SentChip key={i} given={a} />
            ))}
          </div>
        ) : null}
        <p className="selectable break-words whitespace-pre-wrap" data-testid="chat-question">
          {stripControl(message.text)}
        </p>
      </div>
    </div>
  );
}

/** The user started a goal from here. */
function GoalNote({ message }: { message: ChatMessage }) {
  const app = useApp();
  const status = useAppState((s) => s.goals.byId[message.goal_id]?.card.status);
  return (
    <div className="flex items-center gap-2.5 rounded-md border border-border bg-surface-raised px-3 py-2">
      <GoalIcon size={15} className="shrink-0 text-accent" />
      <p className="min-w-0 flex-1">
        <span className="block text-2xs text-text-faint">Goal started</span>
        <span className="line-clamp-2 break-words">{stripControl(message.text)}</span>
      </p>
      {status === undefined ? null : (
        <Button data-testid="chat-goal-open" onClick={() => app.openGoal(message.goal_id)}>
          Open
        </Button>
      )}
    </div>
  );
}

/** What can be done with a message. It shows with the pointer over the message, with the focus in it, and on a phone. */
function Tools({ message, isBusy }: { message: ChatMessage; isBusy: boolean }) {
  const app = useApp();
  const isQuestion = message.role === "user";
  const copy = async () => {
    if (await writeClipboard(isQuestion ? message.text : answerText(message))) app.notices.done("Copied");
  };
  const versions = message.versions ?? [];
  return (
    <div className={cx("flex h-7 items-center gap-0.5 max-[640px]:h-11", isQuestion && "justify-end")}>
      <Versions message={message} isBusy={isBusy} />
      <div
        className={cx(
          "flex items-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100",
          "[@media(hover:none)]:opacity-100",
          versions.length > 1 && "ml-1",
        )}
      >
        <IconButton label="Copy" data-testid="chat-copy" onClick={() => void copy()}>
          <CopyIcon size={13} />
        </IconButton>
        {isQuestion ? (
          <IconButton
            label="Edit and send again"
            data-testid="chat-edit"
            disabled={isBusy}
            onClick={() => app.chat.edit(message.id)}
          >
            <PencilIcon size={13} />
          </IconButton>
        ) : (
          <>
            <IconButton
              label="Answer again"
              data-testid="chat-regenerate"
              disabled={isBusy}
              onClick={() => void app.chat.regenerate(message.id)}
            >
              <ReloadIcon size={13} />
            </IconButton>
            <IconButton
              label="Branch from here"
              data-testid="chat-branch"
              disabled={isBusy}
              onClick={() => void app.chat.branch(message.id)}
            >
              <SplitIcon size={13} />
            </IconButton>
            <IconButton
              label="Turn this into a goal"
              data-testid="chat-to-goal"
              disabled={isBusy}
              onClick={() => void app.chat.openProposal()}
            >
              <GoalIcon size={13} />
            </IconButton>
          </>
        )}
      </div>
    </div>
  );
}

/** Leads to the other versions of a message: those before an edit, and answers that were written again. */
function Versions({ message, isBusy }: { message: ChatMessage; isBusy: boolean }) {
  const app = useApp();
  const all = message.versions ?? [];
  if (all.length < 2) return null;
  const at = all.indexOf(message.id);
  const show = (n: number) => {
    const id = all[n];
    if (id !== undefined) void app.chat.showVersion(id);
  };
  return (
    <div className="flex items-center text-2xs text-text-muted tabular-nums" data-testid="chat-versions">
      <IconButton
        label="Previous version"
        data-testid="chat-version-before"
        disabled={isBusy || at <= 0}
        onClick={() => show(at - 1)}
      >
        <ChevronIcon size={12} className="rotate-180" />
      </IconButton>
      {at + 1} / {all.length}
      <IconButton
        label="Next version"
        data-testid="chat-version-after"
        disabled={isBusy || at >= all.length - 1}
        onClick={() => show(at + 1)}
      >
        <ChevronIcon size={12} />
      </IconButton>
    </div>
  );
}
