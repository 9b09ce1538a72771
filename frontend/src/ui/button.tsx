import type { ComponentProps, ReactNode } from "react";
import { Tooltip as RadixTooltip } from "radix-ui";
import { cx } from "./cx";
import { closeNewestDialog } from "./opendialogs";

type ButtonVariant = "primary" | "plain" | "quiet" | "danger";

const variants: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:brightness-110",
  plain: "bg-surface-raised text-text border-border-strong hover:bg-surface-hover",
  quiet: "bg-transparent text-text-muted border-transparent hover:bg-surface-hover hover:text-text",
  danger: "bg-bad-bg text-bad border-transparent hover:brightness-110",
};

interface ButtonProps extends ComponentProps<"button"> {
  look?: ButtonVariant;
}

export function Button({ look = "plain", className, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={cx(
        "inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border px-2.5 text-xs font-medium whitespace-nowrap",
        "disabled:cursor-default disabled:opacity-45",
        variants[look],
        className,
      )}
      {...rest}
    />
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  /** The accessible name, also shown as the tooltip. */
  label: string;
  hint?: string;
  side?: "top" | "right" | "bottom" | "left";
  on?: boolean;
}

export function IconButton({ label, hint, side = "bottom", on, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} hint={hint} side={side}>
      <button
        type="button"
        aria-label={label}
        className={cx(
          "inline-flex size-7 shrink-0 items-center justify-center rounded-md " +
            "hover:bg-surface-hover hover:text-text disabled:cursor-default disabled:opacity-35",
          on ? "bg-surface-hover text-text" : "text-text-muted",
          className,
        )}
        {...rest}
      >
        {children}
      </button>
    </Tooltip>
  );
}

interface TooltipProps {
  text: string;
  hint?: string | undefined;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}

/** A tooltip over one element. It needs a `TooltipProvider` above it. */
export function Tooltip({ text, hint, side = "bottom", children }: TooltipProps) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          side={side}
          sideOffset={6}
          onEscapeKeyDown={closeNewestDialog}
          className={cx(
            "z-[1200] flex max-w-80 items-center gap-2 rounded-md border border-border-strong",
            "bg-surface-raised px-2 py-1 text-xs text-text shadow-pop",
          )}
        >
          {text}
          {hint ? <Kbd>{hint}</Kbd> : null}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}

export const TooltipProvider = RadixTooltip.Provider;

interface KbdProps {
  children: ReactNode;
  /** For a button in the accent colour. */
  onAccent?: boolean;
  className?: string;
}

export function Kbd({ children, onAccent, className }: KbdProps) {
  return (
    <kbd
      className={cx(
        "rounded-sm border px-1 font-mono text-[10px] leading-4 font-normal whitespace-nowrap max-[640px]:hidden",
        onAccent ? "border-[#0003] bg-[#0001] text-current" : "border-border-strong bg-surface-hover text-text-muted",
        className,
      )}
    >
      {children}
    </kbd>
  );
}
