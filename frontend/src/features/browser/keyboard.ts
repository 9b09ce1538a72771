import { useMemo, useRef } from "react";
import { composeInput, isComposing, keyInput, letterOf, textInput } from "./input";
import type { Surface } from "./surface";

interface KeyboardHandlers {
  onKeyDown: (e: React.KeyboardEvent<HTMLTextAreaElement>) => void;
  onKeyUp: (e: React.KeyboardEvent<HTMLTextAreaElement>) => void;
  onInput: (e: React.InputEvent<HTMLTextAreaElement>) => void;
  onCompositionUpdate: (e: React.CompositionEvent<HTMLTextAreaElement>) => void;
  onCompositionEnd: (e: React.CompositionEvent<HTMLTextAreaElement>) => void;
  onPaste: (e: React.ClipboardEvent<HTMLTextAreaElement>) => void;
  onBlur: () => void;
}

/**
 * The keyboard of a page, captured by a hidden text field so that input methods
 * and dead keys work. Ctrl+V pastes from the user's clipboard; only right
 * after a copy inside the page does the page paste from its own clipboard.
 */
export function useKeyboard(
  surface: Surface | null,
  shortcut: (e: KeyboardEvent) => (() => void) | null,
): KeyboardHandlers {
  const copiedInside = useRef(false);
  /** Keys pressed here. The release of the key that opened this pane is not sent to the page. */
  const down = useRef(new Set<string>());
  return useMemo(() => {
    const empty = (el: HTMLTextAreaElement) => {
      el.value = "";
    };
    const wantsLocalPaste = (e: React.KeyboardEvent) =>
      (e.ctrlKey || e.metaKey) && !e.altKey && letterOf(e.nativeEvent) === "v" && !copiedInside.current;
    return {
      onKeyDown: (e) => {
        if (isComposing(e.nativeEvent) || wantsLocalPaste(e)) return;
        const run = shortcut(e.nativeEvent);
        if (run) {
          e.preventDefault();
          run();
          return;
        }
        // At the first tab, Ctrl+Shift+Tab leaves the page, as in terminals.
        if (e.code === "Tab" && e.ctrlKey && e.shiftKey) return;
        if ((e.ctrlKey || e.metaKey) && ["c", "x"].includes(letterOf(e.nativeEvent))) copiedInside.current = true;
        e.preventDefault();
        down.current.add(e.code);
        surface?.input(keyInput("keydown", e.nativeEvent));
      },
      onKeyUp: (e) => {
        if (isComposing(e.nativeEvent) || !down.current.delete(e.code)) return;
        surface?.input(keyInput("keyup", e.nativeEvent));
      },
      onInput: (e) => {
        if (e.nativeEvent.isComposing) return;
        const text = e.currentTarget.value;
        empty(e.currentTarget);
        if (text) surface?.input(textInput(text));
      },
      // The page shows the text while it is composed; the finished text follows.
      onCompositionUpdate: (e) => surface?.input(composeInput(e.data)),
      onCompositionEnd: (e) => {
        const text = e.data;
        empty(e.currentTarget);
        surface?.input(text ? textInput(text) : composeInput(""));
      },
      onPaste: (e) => {
        e.preventDefault();
        const text = e.clipboardData.getData("text/plain");
        if (text) surface?.input(textInput(text));
      },
      onBlur: () => {
        copiedInside.current = false;
      },
    };
  }, [surface, shortcut]);
}
