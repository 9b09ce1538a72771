import { useRef, type ReactNode } from "react";
import { DropdownMenu } from "radix-ui";
import { Kbd } from "./button";
import { cx } from "./cx";

/** A line of a menu; null draws a separator. */
export type MenuItem = {
  id: string;
  label: string;
  hint?: string;
  danger?: boolean;
  disabled?: boolean;
  /** What it opens wants the focus: it is run once the menu is gone, and the focus does not go back. */
  takesFocus?: boolean;
  run: () => void;
} | null;

interface MenuProps {
  items: readonly MenuItem[];
  align?: "start" | "end";
  children: ReactNode;
}

export function Menu({ items, align = "end", children }: MenuProps) {
  const later = useRef<(() => void) | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={trigger} asChild>
        {children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={4}
          onCloseAutoFocus={(e) => {
            const run = later.current;
            if (!run) return;
            later.current = null;
            e.preventDefault();
            // A dialog that opens now gives the focus back to here.
            trigger.current?.focus();
            run();
          }}
          className={cx(
            "appear z-[1100] max-h-(--radix-dropdown-menu-content-available-height) min-w-44",
            "overflow-y-auto rounded-md border border-border-strong bg-surface-raised p-1 shadow-pop",
          )}
        >
          {items.map((item, i) =>
            item ? (
              <DropdownMenu.Item
                key={item.id}
                data-testid={`menu-${item.id}`}
                disabled={item.disabled ?? false}
                onSelect={() => {
                  if (item.takesFocus) later.current = item.run;
                  else item.run();
                }}
                className={cx(
                  "flex h-7 items-center justify-between gap-6 rounded-sm px-2 text-xs outline-none " +
                    "data-[disabled]:opacity-40 data-[highlighted]:bg-surface-hover",
                  item.danger ? "text-bad" : "text-text",
                )}
              >
                {item.label}
                {item.hint ? <Kbd>{item.hint}</Kbd> : null}
              </DropdownMenu.Item>
            ) : (
              <DropdownMenu.Separator key={`line-${i}`} className="my-1 h-px bg-border" />
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
