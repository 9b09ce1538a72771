import { createContext, useContext } from "react";
import type { HelpTarget } from "@/lib/helppages";
import { IconButton } from "./button";
import { HelpIcon } from "./icons";

/** Opens a page of the documents; null where no documents are available, such as in a component test. */
export const HelpContext = createContext<((target: HelpTarget) => void) | null>(null);

/** A button that opens the page of the documents about a place. */
export function HelpButton({ target, className }: { target: HelpTarget; className?: string }) {
  const open = useContext(HelpContext);
  if (!open) return null;
  return (
    <IconButton
      label="Help"
      hint="F1"
      data-testid="help-open"
      data-page={target}
      {...(className ? { className } : {})}
      onClick={() => open(target)}
    >
      <HelpIcon />
    </IconButton>
  );
}

/**
 * Returns the help page for the user's place: that of the dialog or place around the focus, otherwise that of the
 * frontmost dialog, otherwise null.
 */
export function helpNear(focused: Element | null): HelpTarget | null {
  const dialogs = document.querySelectorAll<HTMLElement>('[role="dialog"][data-help]');
  const near = focused?.closest<HTMLElement>("[data-help]") ?? dialogs[dialogs.length - 1];
  return (near?.dataset.help as HelpTarget | undefined) ?? null;
}
