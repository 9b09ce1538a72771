import type { ReactNode } from "react";
import { Dialog as Radix } from "radix-ui";
import type { HelpTarget } from "@/lib/helppages";
import { cx } from "./cx";
import { ReturnFocus } from "./focus";
import { HelpButton } from "./helpbutton";
import { closeNewestDialog, OpenDialog } from "./opendialogs";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Shown beside the title, on the right. */
  aside?: ReactNode;
  footer?: ReactNode;
  /** The purpose of the dialog in one sentence, for screen readers only. */
  description?: string;
  className?: string;
  testid?: string;
  /** The page of the documents about this dialog. */
  help?: HelpTarget;
  /** Chooses the element that gets the focus when the dialog opens; by default the first field. */
  onOpenAutoFocus?: (event: Event) => void;
  onKeyDown?: (event: React.KeyboardEvent) => void;
  children: ReactNode;
}

/** A modal dialog: the focus stays inside, Esc closes it, and a click outside does not. */
export function Dialog(p: DialogProps) {
  return (
    <Radix.Root open={p.open} onOpenChange={(open) => !open && p.onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-[1000] bg-scrim" />
        <Radix.Content
          data-testid={p.testid}
          data-help={p.help}
          {...(p.description ? {} : { "aria-describedby": undefined })}
          onEscapeKeyDown={closeNewestDialog}
          onPointerDownOutside={(e) => e.preventDefault()}
          onInteractOutside={(e) => e.preventDefault()}
          {...(p.onOpenAutoFocus ? { onOpenAutoFocus: p.onOpenAutoFocus } : {})}
          {...(p.onKeyDown ? { onKeyDown: p.onKeyDown } : {})}
          className={cx(
            "appear fixed top-[6vh] left-1/2 z-[1001] flex max-h-[88vh] w-[660px] " +
              "max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col",
            "max-[640px]:top-2 max-[640px]:max-h-[calc(100dvh-16px)] max-[640px]:max-w-[calc(100vw-16px)]",
            "rounded-lg border border-border-strong bg-surface-raised shadow-pop focus:outline-none",
            p.className,
          )}
        >
          <ReturnFocus />
          <OpenDialog close={p.onClose} />
          <header className="flex min-h-12 shrink-0 items-center gap-3 border-b border-border px-5">
            <Radix.Title className="min-w-0 flex-1 truncate text-sm font-semibold">{p.title}</Radix.Title>
            {p.aside}
            {p.help ? <span className="w-6 shrink-0" /> : null}
          </header>
          {p.description ? <Radix.Description className="sr-only">{p.description}</Radix.Description> : null}
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{p.children}</div>
          {p.footer ? (
            <footer
              className={
                "flex min-h-12 shrink-0 items-center gap-2 border-t border-border px-5 py-2.5 max-[640px]:flex-wrap"
              }
            >
              {p.footer}
            </footer>
          ) : null}
          {/* The last of its controls: the first one gets the focus when the dialog opens. */}
          {p.help ? <HelpButton target={p.help} className="absolute top-2.5 right-3.5" /> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
