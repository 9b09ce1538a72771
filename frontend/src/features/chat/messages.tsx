import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isAnswering } from "@/store/chats";
import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { VirtualRows } from "@/ui/virtualrows";
import { MessageRow } from "./messagerow";

const nearEnd = 4;
const usualHeight = 140;

/** The messages of the shown chat. It follows the newest words until the user scrolls up. */
export function Messages() {
  const chat = useAppState((s) => s.chat);
  const { messages } = chat;
  const busy = isAnswering(chat);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    getItemKey: (i) => messages[i]?.id ?? i,
    overscan: 3,
    paddingEnd: 12,
  });
  const { isFollowing, follow, handlers } = useFollowing(scroller, chat.id, messages.length);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        data-testid="chat-messages"
        data-following={isFollowing}
        className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
        {...handlers}
      >
        <VirtualRows virtual={virtual}>
          {(index) => {
            const message = messages[index];
            const isLast = index === messages.length - 1;
            return message ? (
              <MessageRow
                chat={chat.id}
                message={message}
                thinking={isLast ? chat.thinking : ""}
                isLast={isLast}
                isBusy={busy}
              />
            ) : null;
          }}
        </VirtualRows>
      </div>
      <span role="status" className="sr-only">
        {busy ? "Answering" : messages.at(-1)?.role === "assistant" ? "The answer is complete" : ""}
      </span>
      {isFollowing ? null : (
        <Button
          className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          data-testid="chat-newest"
          onClick={follow}
        >
          Jump to newest ↓
        </Button>
      )}
    </div>
  );
}

/** The keys that scroll up. */
const upKeys = new Set(["PageUp", "ArrowUp", "Home"]);

/**
 * Keeps the end in view while the content or the panel changes its size, until the user scrolls up. A message of the
 * user brings it back: that is what `count` tells.
 */
function useFollowing(scroller: React.RefObject<HTMLDivElement | null>, chat: string, count: number) {
  const [isFollowing, setFollowing] = useState(true);
  const toEnd = useCallback(() => {
    const el = scroller.current;
    if (el) el.scrollTop = el.scrollHeight;
  }, [scroller]);
  const follow = () => {
    setFollowing(true);
    toEnd();
  };
  useEffect(() => setFollowing(true), [chat, count]);
  // After each render: the list is drawn again when a row or the panel has another height.
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  });
  const leave = () => {
    const el = scroller.current;
    if (el && el.scrollHeight > el.clientHeight) setFollowing(false);
  };
  const arrive = () => {
    const el = scroller.current;
    if (el && el.scrollHeight - el.scrollTop - el.clientHeight < nearEnd) setFollowing(true);
  };
  const handlers = {
    onScroll: arrive,
    onWheel: (e: React.WheelEvent) => e.deltaY < 0 && leave(),
    onTouchMove: leave,
    onTouchEnd: arrive,
    // The scroll bar belongs to the element itself.
    onPointerDown: (e: React.PointerEvent) => e.target === scroller.current && leave(),
    onKeyDown: (e: React.KeyboardEvent) => upKeys.has(e.code) && leave(),
  };
  return { isFollowing, follow, handlers };
}
