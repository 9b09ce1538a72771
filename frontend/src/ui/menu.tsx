import { useRef, type ReactNode, type RefObject } from "react";
import { ContextMenu as RadixContextMenu, DropdownMenu } from "radix-ui";
import { Kbd } from "./button";
import { cx } from "./cx";

/** An entry of a menu; null is a separator. */
export type MenuItem = {
  id: string;
  label: string;
  hint?: string;
  danger?: boolean;
  disabled?: boolean;
  /** The action takes the focus, so it runs after the menu has closed and the focus is not restored. */
  takesFocus?: boolean;
  run: () => void;
} | null;

interface MenuProps {
  items: readonly MenuItem[];
  align?: "start" | "end";
  children: ReactNode;
}

const frame = cx(
  "appear z-[1100] min-w-44 overflow-y-auto rounded-md border border-border-strong",
  "bg-surface-raised p-1 shadow-pop",
);

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
            // A dialog that opens now returns the focus here.
            trigger.current?.focus();
            run();
          }}
          className={cx("max-h-(--radix-dropdown-menu-content-available-height)", frame)}
        >
          <MenuLines items={items} parts={DropdownMenu} later={later} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ContextMenuProps {
  items: readonly MenuItem[];
  children: ReactNode;
}

/** A context menu, opened at the pointer by a right click on its child. */
export function ContextMenu({ items, children }: ContextMenuProps) {
  const later = useRef<(() => void) | null>(null);
  return (
    <RadixContextMenu.Root modal={false}>
      <RadixContextMenu.Trigger asChild>{children}</RadixContextMenu.Trigger>
      <RadixContextMenu.Portal>
        <RadixContextMenu.Content
          collisionPadding={4}
          onCloseAutoFocus={(e) => {
            const run = later.current;
            if (!run) return;
            later.current = null;
            e.preventDefault();
            run();
          }}
          className={cx("max-h-(--radix-context-menu-content-available-height)", frame)}
        >
          <MenuLines items={items} parts={RadixContextMenu} later={later} />
        </RadixContextMenu.Content>
      </RadixContextMenu.Portal>
    </RadixContextMenu.Root>
  );
}

interface MenuLinesProps {
  items: readonly MenuItem[];
  parts: Pick<typeof DropdownMenu, "Item" | "Separator"> | Pick<typeof RadixContextMenu, "Item" | "Separator">;
  /** Called after the menu has closed. */
  later: RefObject<(() => void) | null>;
}

function MenuLines({ items, parts, later }: MenuLinesProps) {
  return items.map((item, i) =>
    item ? (
      <parts.Item
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
      </parts.Item>
    ) : (
      <parts.Separator key={`line-${i}`} className="my-1 h-px bg-border" />
    ),
  );
}
