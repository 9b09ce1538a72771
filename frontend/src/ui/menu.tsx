import { useRef, type ReactNode, type RefObject } from "react";
import { ContextMenu as RadixContextMenu, DropdownMenu } from "radix-ui";
import { Kbd } from "./button";
import { cx } from "./cx";
import { CheckIcon } from "./icons";

/** An entry of a menu; null is a separator. */
export type MenuItem = {
  id: string;
  label: string;
  hint?: string;
  /** A number or a word at its end. */
  note?: string;
  /** Whether it is chosen, for an entry that can be; the menu stays open then. */
  checked?: boolean;
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
  parts:
    | Pick<typeof DropdownMenu, "Item" | "CheckboxItem" | "Separator">
    | Pick<typeof RadixContextMenu, "Item" | "CheckboxItem" | "Separator">;
  /** Called after the menu has closed. */
  later: RefObject<(() => void) | null>;
}

function MenuLines({ items, parts, later }: MenuLinesProps) {
  return items.map((item, i) => {
    if (!item) return <parts.Separator key={`line-${i}`} className="my-1 h-px bg-border" />;
    const common = {
      "data-testid": `menu-${item.id}`,
      disabled: item.disabled ?? false,
      className: cx(
        "flex h-7 items-center gap-2 rounded-sm px-2 text-xs outline-none " +
          "data-[disabled]:opacity-40 data-[highlighted]:bg-surface-hover",
        item.danger ? "text-bad" : "text-text",
      ),
    };
    const content = (
      <>
        <span className="mr-auto">{item.label}</span>
        {item.note ? <span className="ml-4 text-text-muted tabular-nums">{item.note}</span> : null}
        {item.hint ? <Kbd className="ml-4">{item.hint}</Kbd> : null}
      </>
    );
    if (item.checked === undefined) {
      const select = () => {
        if (item.takesFocus) later.current = item.run;
        else item.run();
      };
      return (
        <parts.Item key={item.id} onSelect={select} {...common}>
          {content}
        </parts.Item>
      );
    }
    const toggle = (e: Event) => {
      e.preventDefault();
      item.run();
    };
    return (
      <parts.CheckboxItem key={item.id} checked={item.checked} onSelect={toggle} {...common}>
        <span className="flex w-3.5 shrink-0 text-accent">{item.checked ? <CheckIcon size={13} /> : null}</span>
        {content}
      </parts.CheckboxItem>
    );
  });
}
