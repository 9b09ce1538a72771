import { useCallback, useEffect, useRef } from "react";
import type { PaneInfo, PaneOverlay } from "@/bridge/types";
import { useApp } from "@/store/context";
import { isDialog, noAnswer, type AnswerPrompt, type Viewport } from "./prompttext";
import { QuestionBox } from "./promptdialog";
import { Choices } from "./selectmenu";
import { ContextMenu } from "./contextmenu";
import { Picker } from "./picker";
import type { Surface } from "./surface";

interface QuestionsProps {
  pane: PaneInfo;
  overlay: PaneOverlay;
  surface: Surface;
  /** The picture's size on the screen; `scale` is screen pixels per page pixel. */
  space: Viewport;
  scale: number;
  /** Returns the focus to the page. */
  focus: () => void;
}

/** The prompts of the page and of Chromium, one at a time. */
export function Questions({ pane, overlay, surface, space, scale, focus }: QuestionsProps) {
  const app = useApp();
  const box = overlay.questions?.find(isDialog);
  const field = overlay.questions?.find((q) => !isDialog(q) && q.kind !== "save_login");
  const open = box ?? (field?.kind === "suggest" ? undefined : field);
  const had = useRef(false);

  const reply: AnswerPrompt = useCallback(
    (q, answer) => {
      const whole = { ...noAnswer, ...answer, id: q.id };
      // A prompt that has ended needs no answer: the page has continued.
      if (!answer && q.no_answer) void app.bridge.call("BrowserAPI.Answer", pane.id, whole).catch(() => undefined);
      else void app.ask("BrowserAPI.Answer", pane.id, whole);
    },
    [app, pane.id],
  );

  useEffect(() => {
    if (had.current && !open) focus();
    had.current = open !== undefined;
  }, [open, focus]);

  if (pane.driver === "agent" && pane.goal_id) return null;
  const placed = field && {
    ...field,
    x: field.x * scale,
    y: field.y * scale,
    width: field.width * scale,
    height: field.height * scale,
  };
  return (
    <>
      {placed && placed.kind !== "suggest" ? (
        <div
          className="absolute inset-0 z-10"
          data-testid="outside"
          onMouseDown={() => reply(placed)}
          onWheel={() => reply(placed)}
          onContextMenu={(e) => e.preventDefault()}
        />
      ) : null}
      {placed?.kind === "choose" || placed?.kind === "suggest" ? (
        <Choices key={placed.id} question={placed} space={space} reply={reply} />
      ) : null}
      {placed?.kind === "pick" ? <Picker key={placed.id} question={placed} space={space} reply={reply} /> : null}
      {placed?.kind === "menu" ? (
        <ContextMenu
          key={placed.id}
          pane={pane}
          question={placed}
          surface={surface}
          space={space}
          scale={scale}
          reply={reply}
        />
      ) : null}
      {box ? <QuestionBox key={box.id} question={box} reply={reply} /> : null}
    </>
  );
}
