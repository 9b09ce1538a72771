// Defines globalThis.goalpost: the agent's view of a page and the user's search in it. It runs in an isolated world
// that shares the document with the page's scripts and nothing else.
import { aimAt, boxOfElement, focusElement, locateDrop, locateElement, mapFramePoint } from "./page/aim";
import { endDiff, startDiff, stopDiff } from "./page/changes";
import { finishClick, releaseClick } from "./page/clickguard";
import { TargetError } from "./page/errors";
import { findCheckbox, findFileInput, maskField } from "./page/fields";
import {
  checkTyped,
  isFilled,
  locateOption,
  moveCaret,
  planChoice,
  planFill,
  setField,
  startTyping,
} from "./page/fill";
import { findElement } from "./page/find";
import { endFindText, findText, listClosedFields, scrollToFrameBox, showText } from "./page/findtext";
import { findLoginForm, hasOrigin, listOrigins } from "./page/login";
import { addListening } from "./page/listeners";
import { forgetLabels } from "./page/names";
import { hasCardField, hasPayment, previewClick } from "./page/preview";
import { describePoint, searchPage } from "./page/query";
import { readPage, readSource } from "./page/read";
import { endTexts, startTexts, stopTracking, trackTexts } from "./page/redactboxes";
import { continueNumbers, lastNumbers, registerForeignFrame } from "./page/refs";
import { PageText, findSimilar, listMarks, takeSnapshot } from "./page/report";
import { waitForFrame, waitForMutation } from "./page/settle";
import { openField } from "./page/textindex";
import { adoptRoot, countClosedRoots, listDocuments } from "./page/tree";
import { waitUntil } from "./page/wait";

/**
 * answerCall makes a function answer with JSON: {ok} or {code, message}, and the last numbers of refs and frames. The
 * lines of a page follow the JSON, so that they need not be escaped and parsed.
 */
function answerCall<A extends unknown[]>(f: (...args: A) => unknown) {
  return async (...args: A): Promise<string> => {
    try {
      forgetLabels();
      const ok = await f(...args);
      if (!(ok instanceof PageText)) return JSON.stringify({ ok, ...lastNumbers() });
      return [JSON.stringify({ ok: ok.page, ...lastNumbers() }), ...ok.lines].join("\n");
    } catch (e) {
      if (e instanceof TargetError) return JSON.stringify({ code: e.code, message: e.message, ...lastNumbers() });
      throw e;
    }
  };
}

const answered = {
  aimAt: answerCall(aimAt),
  boxOfElement: answerCall(boxOfElement),
  checkTyped: answerCall(checkTyped),
  countClosedRoots: answerCall(countClosedRoots),
  describePoint: answerCall(describePoint),
  endDiff: answerCall(endDiff),
  endTexts: answerCall(endTexts),
  findCheckbox: answerCall(findCheckbox),
  findFileInput: answerCall(findFileInput),
  findLoginForm: answerCall(findLoginForm),
  findSimilar: answerCall(findSimilar),
  findText: answerCall(findText),
  finishClick: answerCall(finishClick),
  focusElement: answerCall(focusElement),
  hasCardField: answerCall(() => hasCardField()),
  hasOrigin: answerCall(hasOrigin),
  hasPayment: answerCall(hasPayment),
  isFilled: answerCall(isFilled),
  listMarks: answerCall(listMarks),
  listOrigins: answerCall(listOrigins),
  locateDrop: answerCall(locateDrop),
  locateElement: answerCall(locateElement),
  locateOption: answerCall(locateOption),
  mapFramePoint: answerCall(mapFramePoint),
  maskField: answerCall(maskField),
  moveCaret: answerCall(moveCaret),
  planChoice: answerCall(planChoice),
  planFill: answerCall(planFill),
  previewClick: answerCall(previewClick),
  readPage: answerCall(readPage),
  readSource: answerCall(readSource),
  releaseClick: answerCall(releaseClick),
  scrollToFrameBox: answerCall(scrollToFrameBox),
  searchPage: answerCall(searchPage),
  setField: answerCall(setField),
  showText: answerCall(showText),
  startDiff: answerCall(startDiff),
  startTyping: answerCall(startTyping),
  startTexts: answerCall(startTexts),
  stopDiff: answerCall(stopDiff),
  stopTracking: answerCall(stopTracking),
  takeSnapshot: answerCall(takeSnapshot),
  trackTexts: answerCall(trackTexts),
  waitForFrame: answerCall(waitForFrame),
  waitForMutation: answerCall(waitForMutation),
  waitUntil: answerCall(waitUntil),
};

const goalpost = {
  ...answered,
  // The program evaluates from(refs, frames).call(arguments).
  from: (refs: number, frames: number) => {
    continueNumbers(refs, frames);
    return answered;
  },
  // These take or give nodes.
  addListening,
  adoptRoot,
  registerForeignFrame,
  openField,
  listDocuments,
  listClosedFields,
  endFindText,
  findElement,
};

// Two calls may find that the script is missing, and both run it: the refs of the first one stay valid.
const scope = globalThis as { goalpost?: typeof goalpost };
scope.goalpost ??= goalpost;
