import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isAnswering } from "@/store/chats";
import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { VirtualRows, withLast } from "@/ui/virtualrows";
import { MessageRow } from "./messagerow";

const nearEnd = 4;
const usualHeight = 140;

/** The messages of the shown chat. It follows the newest words until the user scrolls up. */
export function Messages() {
  const chat = useAppState((s) => s.chat);
  const { messages } = chat;
  const busy = isAnswering(chat);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    getItemKey: (i) => messages[i]?.id ?? i,
    rangeExtractor: withLast,
    overscan: 3,
    paddingEnd: 12,
  });
  const { isFollowing, follow, handlers } = useFollowing(scroller, content, chat.id, messages.length);
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
        // Contained: neither words nor keys in the field lay out what is on the other side of it.
        className="min-h-0 flex-1 [contain:strict] overflow-y-auto [overflow-anchor:none]"
        {...handlers}
      >
        <div ref={content}>
          <VirtualRows virtual={virtual} isLastInFlow>
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

type Ref = React.RefObject<HTMLDivElement | null>;

/**
 * Keeps the end in view while the content or the panel changes its size, until the user scrolls up. A message of the
 * user brings it back: that is what `count` tells.
 */
function useFollowing(scroller: Ref, content: Ref, chat: string, count: number) {
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
  // Its callback runs between layout and drawing, so that new words and the place are drawn together, once.
  useLayoutEffect(() => {
    if (!isFollowing || !scroller.current || !content.current) return;
    const observer = new ResizeObserver(toEnd);
    observer.observe(scroller.current);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [isFollowing, toEnd, scroller, content]);
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
