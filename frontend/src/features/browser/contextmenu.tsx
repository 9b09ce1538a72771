import { useLayoutEffect, useRef, useState } from "react";
import { readClipboard, writeClipboard, writePicture } from "@/bridge/clipboard";
import type { PaneInfo, UserPrompt } from "@/bridge/types";
import type { App } from "@/store/app";
import { useApp } from "@/store/context";
import { placePopup, type AnswerPrompt, type Viewport } from "./prompttext";
import { emptyInput, textInput } from "./input";
import type { Surface } from "./surface";
import { cx } from "@/ui/cx";

interface ContextMenuProps {
  pane: PaneInfo;
  question: UserPrompt;
  surface: Surface;
  space: Viewport;
  /** Screen pixels per page pixel. */
  scale: number;
  reply: AnswerPrompt;
}

interface Item {
  id: string;
  label: string;
  disabled?: boolean;
  run: () => unknown;
}

const ctrl = 2;

function keyOf(surface: Surface, letter: string) {
  const key = {
    ...emptyInput,
    key: letter,
    code: `Key${letter.toUpperCase()}`,
    key_code: letter.toUpperCase().charCodeAt(0),
    modifiers: ctrl,
  };
  surface.input({ ...key, kind: "keydown" });
  surface.input({ ...key, kind: "keyup" });
}

/** Copies the picture of the menu. The clipboard gets it as a promise, because it may be written only within the click. */
async function copyPicture(app: App, id: string) {
  const asked = app.ask("BrowserAPI.CopyPicture", id);
  const png = asked.then((code) => {
    if (code === undefined) throw new Error("not copied");
    return new Blob([Uint8Array.from(atob(code), (c) => c.charCodeAt(0))], { type: "image/png" });
  });
  if (await writePicture(png)) app.notices.done("Image copied");
  else if (await asked) {
    const hint = "allow this page to write the clipboard, or save the image";
    app.notices.problem({ code: "unavailable", message: "The image was not copied", hint, field: "" });
  }
}

function itemsOf(app: App, pane: PaneInfo, q: UserPrompt, surface: Surface, scale: number): Item[][] {
  const copy = (text: string) => writeClipboard(text);
  const link: Item[] = q.link
    ? [
        {
          id: "open-link",
          label: "Open link in a new pane",
          run: () => app.panes.openBrowser(q.link, pane.profile || "temporary"),
        },
        { id: "copy-link", label: "Copy link", run: () => copy(q.link) },
        { id: "save-link", label: "Save link", run: () => app.ask("BrowserAPI.Save", pane.id, q.link) },
      ]
    : [];
  const image: Item[] = q.image
    ? [
        {
          id: "open-image",
          label: "Open image",
          run: () => app.panes.openBrowser(q.image, pane.profile || "temporary"),
        },
        { id: "copy-image", label: "Copy image", run: () => copyPicture(app, pane.id) },
        { id: "copy-image-address", label: "Copy image address", run: () => copy(q.image) },
        { id: "save-image", label: "Save image", run: () => app.ask("BrowserAPI.Save", pane.id, q.image) },
      ]
    : [];
  const text: Item[] = [
    ...(q.editable && q.selected ? [{ id: "cut", label: "Cut", run: () => keyOf(surface, "x") }] : []),
    ...(q.selected ? [{ id: "copy", label: "Copy", run: () => copy(q.selected) }] : []),
    ...(q.editable
      ? [
          {
            id: "paste",
            label: "Paste",
            run: async () => {
              const said = await readClipboard();
              if (said) surface.input(textInput(said));
            },
          },
        ]
      : []),
    { id: "select-all", label: "Select all", run: () => keyOf(surface, "a") },
  ];
  const page: Item[] = [
    { id: "back", label: "Back", disabled: !pane.can_back, run: () => app.ask("BrowserAPI.Back", pane.id) },
    { id: "forward", label: "Forward", disabled: !pane.can_forward, run: () => app.ask("BrowserAPI.Forward", pane.id) },
    { id: "reload", label: "Reload", run: () => app.ask("BrowserAPI.Reload", pane.id) },
    { id: "print", label: "Save as PDF", run: () => app.ask("BrowserAPI.Print", pane.id) },
  ];
  const inspect: Item[] = [
    { id: "inspect", label: "Inspect", run: () => app.panes.openDevTools(pane.id, { x: q.x / scale, y: q.y / scale }) },
  ];
  return [link, image, text, q.link || q.image || q.selected || q.editable ? [] : page, inspect].filter(
    (g) => g.length > 0,
  );
}

/** The page's context menu. A page with its own context menu draws that menu itself. */
export function ContextMenu({ pane, question, surface, space, scale, reply }: ContextMenuProps) {
  const app = useApp();
  const menu = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: question.x, top: question.y });

  useLayoutEffect(() => {
    const el = menu.current;
    if (!el) return;
    setPlace(
      placePopup({ ...question, width: 0, height: 0 }, { width: el.offsetWidth, height: el.offsetHeight }, space),
    );
    el.querySelector<HTMLElement>("button:not(:disabled)")?.focus({ preventScroll: true });
  }, [question, space]);

  const move = (by: number) => {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
    const at = all.findIndex((el) => el === document.activeElement);
    all[(at + by + all.length) % all.length]?.focus();
  };

  return (
    <div
      ref={menu}
      role="menu"
      data-testid="page-menu"
      className={cx(
        "appear absolute z-20 min-w-44 rounded-md border border-border-strong bg-surface-raised",
        "p-1 text-xs shadow-pop",
      )}
      style={place}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.code === "Escape") reply(question);
        if (e.code === "ArrowDown") move(1);
        if (e.code === "ArrowUp") move(-1);
      }}
    >
      {itemsOf(app, pane, question, surface, scale).map((group, g) => (
        <div key={g} className={g > 0 ? "mt-1 border-t border-border pt-1" : undefined}>
          {group.map((item) => (
            <button
              key={item.id}
              type="button"
              role="menuitem"
              disabled={item.disabled ?? false}
              data-testid={`page-menu-${item.id}`}
              className={cx(
                "flex h-7 w-full items-center rounded-sm px-2 text-left outline-none",
                "hover:bg-surface-hover focus:bg-surface-hover disabled:opacity-40",
              )}
              onClick={() => {
                reply(question);
                item.run();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
