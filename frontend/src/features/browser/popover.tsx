import { useEffect, useRef, type ReactNode } from "react";
import { cx } from "@/ui/cx";

interface PopoverProps extends React.HTMLAttributes<HTMLDivElement> {
  onClose: () => void;
  /** A question stays until it is answered: a click elsewhere does not close it. */
  stays?: boolean;
  children: ReactNode;
}

/**
 * A box over the page. All of a pane stand below each other in one stack, so that none covers another. It closes with
 * Esc, and with a click elsewhere in the window; dialogs and menus that it opens are not elsewhere.
 */
export function Popover({ onClose, stays = false, className, children, ...rest }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (stays) return undefined;
    const press = (e: PointerEvent) => {
      const at = e.target;
      const isInWindow = at instanceof Element && at.closest("#root") !== null;
      if (isInWindow && !box.current?.contains(at)) close.current();
    };
    // What had the focus may be gone: a row that was removed.
    const key = (e: KeyboardEvent) => {
      if (e.code === "Escape" && document.activeElement === document.body) close.current();
    };
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("keydown", key);
    return () => {
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("keydown", key);
    };
  }, [stays]);
  return (
    <div
      ref={box}
      {...rest}
      className={cx(
        "relative max-w-full rounded-md border border-border-strong bg-surface-raised shadow-pop",
        className,
      )}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.code === "Escape") onClose();
      }}
    >
      {children}
    </div>
  );
}
