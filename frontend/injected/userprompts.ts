// Defines globalThis.goalpostPrompts. It runs in an isolated world of every document, before the scripts of the page,
// and reports to the program what headless Chromium does not show: the title between navigations, the icon,
// the shape of the pointer, the lists and pickers that would open, the context menu, what the user copies, and which permission a page
// asks for.
import { reportLogins, fillLogin } from "./userprompts/login";
import { reportCopies, reportMenu } from "./userprompts/menu";
import { answerPermission, reportPermissions } from "./userprompts/permission";
import { chooseOption, reportPickers, setValue } from "./userprompts/pickers";
import { reportCursor } from "./userprompts/cursor";
import { reportEdits } from "./userprompts/edits";
import { reportFullscreen } from "./userprompts/fullscreen";
import { drawIcon, reportIcon } from "./userprompts/icon";
import { copyPicture, decodePicture } from "./userprompts/picture";
import { reportTitle } from "./userprompts/title";
import { zoomPage } from "./userprompts/zoom";

function install() {
  if (self === top) {
    reportTitle();
    reportIcon();
    reportFullscreen();
  }
  reportCursor();
  reportPickers();
  reportMenu();
  reportCopies();
  reportEdits();
  reportLogins();
  reportPermissions();
  return {
    choose: chooseOption,
    set: setValue,
    login: fillLogin,
    said: answerPermission,
    zoom: zoomPage,
    icon: drawIcon,
    picture: copyPicture,
    decode: decodePicture,
  };
}

interface Scope {
  goalpostDocument?: WeakRef<Document>;
  goalpostPrompts?: ReturnType<typeof install>;
}

// The first document of a popup hands its global object to the next one: the script runs once for each document.
const scope = globalThis as Scope;
if (scope.goalpostDocument?.deref() !== document) {
  scope.goalpostDocument = new WeakRef(document);
  scope.goalpostPrompts = install();
}
