import { useEffect, useRef, type ClipboardEvent, type KeyboardEvent } from "react";
import { isAnswering } from "@/store/chats";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { CloseIcon, SendIcon, StopIcon } from "@/ui/icons";
import { AttachMenu } from "./attachmenu";
import { DraftChip } from "./attachmentchip";
import { attachPictures } from "./pictures";
import { ModelMenu } from "./modelmenu";

/** Where the user writes. Enter sends, Shift+Enter begins a line, Esc stops the answer. */
export function Composer() {
  const app = useApp();
  const draft = useAppState((s) => s.chatDraft);
  const busy = useAppState((s) => isAnswering(s.chat));
  const focus = useAppState((s) => s.chatFocus);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    const el = field.current;
    if (focus === 0 || !el) return;
    el.focus();
    el.setSelectionRange(el.value.length, el.value.length);
  }, [focus]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return;
    if (e.code === "Escape") {
      if (busy) void app.chat.stop();
      else if (draft.replaces > 0) app.chat.cancelEdit();
      else return;
      e.preventDefault();
      e.stopPropagation();
    } else if ((e.code === "Enter" || e.code === "NumpadEnter") && !e.shiftKey) {
      e.preventDefault();
      void app.chat.send();
    } else if (e.code === "Backspace" && draft.text === "" && draft.attachments.length > 0) {
      e.preventDefault();
      app.chat.detach(draft.attachments.length - 1);
    }
  };
  const onPaste = (e: ClipboardEvent) => {
    const files = [...e.clipboardData.files].filter((f) => f.type.startsWith("image/"));
    if (files.length === 0) return;
    e.preventDefault();
    void attachPictures(app, files);
  };

  return (
    <div className="shrink-0 px-3 pt-1 pb-3">
      {draft.replaces > 0 ? (
        <div className="mb-1 flex items-center gap-2 px-1 text-xs text-text-muted" data-testid="chat-editing">
          <span className="flex-1">You edit a message that was sent. What followed it is kept as another version.</span>
          <Button look="quiet" data-testid="chat-edit-cancel" onClick={() => app.chat.cancelEdit()}>
            <CloseIcon size={12} /> Cancel
          </Button>
        </div>
      ) : null}
      <div className="rounded-lg border border-border-strong bg-bg focus-within:border-accent">
        {draft.attachments.length > 0 ? (
          <div className="flex max-h-24 flex-wrap gap-1.5 overflow-y-auto px-2.5 pt-2.5">
            {draft.attachments.map((given, i) => (
              <DraftChip key={i} given={given} onRemove={() => app.chat.detach(i)} />
            ))}
          </div>
        ) : null}
        {/* The text behind the field gives it its height. A script would lay out the window twice for each key. */}
        <div
          data-text={draft.text}
          className={
            "grid max-[640px]:text-[16px] after:invisible after:max-h-[200px] after:overflow-hidden after:px-3 after:py-2 " +
            "after:break-words after:whitespace-pre-wrap after:[grid-area:1/1] after:content-[attr(data-text)_'_']"
          }
        >
          <textarea
            ref={field}
            data-testid="chat-field"
            aria-label="Message"
            rows={1}
            placeholder="Ask about this workspace…"
            className="block w-full resize-none bg-transparent px-3 py-2 outline-none [grid-area:1/1]"
            value={draft.text}
            onChange={(e) => app.chat.draft({ text: e.target.value })}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </div>
        <div className="flex min-w-0 items-center gap-1 px-1.5 pb-1.5">
          <AttachMenu />
          <ModelMenu />
          <span className="flex-1" />
          {busy ? (
            <Button
              look="plain"
              aria-keyshortcuts="Escape"
              data-testid="chat-stop"
              onClick={() => void app.chat.stop()}
            >
              <StopIcon size={12} />
              <span className="sr-only">Stop the answer</span>
              <span className="text-2xs text-text-faint" aria-hidden>
                Esc
              </span>
            </Button>
          ) : (
            <Button
              look="primary"
              aria-label="Send"
              data-testid="chat-send"
              disabled={draft.text.trim() === ""}
              onClick={() => void app.chat.send()}
            >
              <SendIcon size={13} />
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
