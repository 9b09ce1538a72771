import type { Closer } from "@/bridge/events";
import type { FileContent } from "@/bridge/file";
import { asProblem } from "@/bridge/problem";
import type { FileDraft, PaneInfo } from "@/bridge/types";
import type { App } from "@/store/app";
import { FileEditor } from "./editor";
import { Pause } from "./pause";

export interface FileState {
  /** What the disk has; null until it is known. */
  content: FileContent | null;
  isEditing: boolean;
  /** The text differs from what was saved last. */
  isChanged: boolean;
  /** When the text was kept that the user did not save before the page was loaded; "" if there was none. */
  since: string;
  /** The file changed on the disk while the user edited it. */
  isConflict: boolean;
  /** The text is compared with the one on the disk. */
  isComparing: boolean;
  /** Long lines are wrapped. */
  wraps: boolean;
  /** The first line that somebody else changed, 0 if there is none. */
  changedLine: number;
}

export const initialFile: FileState = {
  content: null,
  isEditing: false,
  isChanged: false,
  since: "",
  isConflict: false,
  isComparing: false,
  wraps: true,
  changedLine: 0,
};

/** Whether long lines are wrapped, in files that are opened from now on. */
const wrapKey = "goalpost.file.wrap";

/** A file in a pane: what the disk has, what the user makes of it, and how that is kept and saved. */
export class OpenFile {
  readonly editor: FileEditor;
  private state = initialFile;
  /** The version that the editor shows, or that the user changed; "" before there is one. */
  private shown = "";
  private hasDraft = false;
  private isClosed = false;
  private link: Closer | null = null;
  private readonly pause: Pause;

  constructor(
    private readonly app: App,
    private readonly pane: PaneInfo,
    host: HTMLElement,
    private readonly onState: (state: FileState) => void,
  ) {
    this.editor = new FileEditor(host, pane.title, { edited: () => this.edited() });
    this.pause = new Pause(() => this.keepDraft());
    app.panes.files.set(pane.id, this.editor);
    this.setWrap(localStorage.getItem(wrapKey) !== "off");
    void this.open();
  }

  private async open(): Promise<void> {
    let draft = await this.app.drafts.get(this.pane.id);
    if (this.isClosed) return;
    this.link = this.app.bridge.file(this.pane.id, {
      beginning: (text) => {
        if (!this.state.content) this.editor.begin(text);
      },
      content: (content) => {
        this.set({ content });
        if (draft) this.restore(draft, content);
        else this.follow(content);
        draft = null;
      },
      link: () => undefined,
    });
  }

  private set(part: Partial<FileState>): void {
    const before = this.state;
    this.state = { ...before, ...part };
    if (!this.state.isConflict) this.state.isComparing = false;
    const { content, isComparing } = this.state;
    if (isComparing !== before.isComparing || (isComparing && content !== before.content))
      this.editor.compare(isComparing ? (content?.text ?? "") : null);
    this.onState(this.state);
  }

  /** Shows what the disk has now, unless the user changed the text. */
  private follow(content: FileContent): void {
    const { editor } = this;
    if (editor.isChanged) {
      // The answer of a save may come after what it wrote.
      const isShown = content.version === this.shown || (!content.problem && content.text === editor.text);
      this.set({ isConflict: !isShown });
      return;
    }
    if (content.problem || content.version === this.shown) return;
    const isFirst = this.shown === "";
    this.shown = content.version;
    const line = editor.load(content.text, isFirst);
    if (line > 0) this.set({ changedLine: line });
  }

  /** Shows again what the user did not save. */
  private restore(draft: FileDraft, content: FileContent): void {
    this.hasDraft = true;
    this.follow(content);
    this.shown = draft.version;
    this.editor.write(draft.text);
    if (!this.editor.isChanged) {
      this.shown = content.version;
      this.pause.end();
      return;
    }
    this.pause.cancel();
    this.editor.allow(true);
    this.set({ since: draft.at, isEditing: true, isConflict: content.version !== draft.version });
  }

  private edited(): void {
    this.set({ isChanged: this.editor.isChanged });
    this.pause.begin();
  }

  private keepDraft(): void {
    const { drafts } = this.app;
    if (this.editor.isChanged) drafts.keep(this.pane.id, this.editor.text, this.shown);
    else if (this.hasDraft) drafts.drop(this.pane.id);
    this.hasDraft = this.editor.isChanged;
  }

  /** Keeps what was typed since the last pause. */
  readonly leave = (): void => this.pause.end();

  private async write(text: string): Promise<boolean> {
    try {
      const version = await this.app.drafts.save(this.pane.id, text, this.state.content?.version ?? "");
      this.shown = version;
      if (this.state.content) this.set({ content: { ...this.state.content, text, version, problem: "" } });
      return true;
    } catch (reason) {
      this.app.notices.problem(asProblem(reason));
      return false;
    }
  }

  /** Saves the text over what the disk has, which the user has been told. */
  async save(): Promise<void> {
    const { editor } = this;
    const { text, doc } = editor;
    const before = this.state.content?.text ?? "";
    if (!(await this.write(text)) || this.isClosed) return;
    editor.noteSaved(doc);
    this.hasDraft = false;
    this.edited();
    this.set({ since: "", isConflict: false, changedLine: 0 });
    editor.view.focus();
    const undo = async () => {
      if (await this.write(before)) this.settle(before);
    };
    this.app.notices.done(`Saved ${this.pane.title}`, { label: "Undo", run: () => void undo() });
  }

  /** Shows a text that is on the disk instead of the user's. */
  private settle(text: string): void {
    if (this.isClosed) return;
    this.editor.load(text, false);
    this.editor.noteSaved(this.editor.doc);
    this.edited();
    this.pause.end();
    this.set({ since: "", isConflict: false });
  }

  edit(isOn: boolean): void {
    this.set({ isEditing: isOn });
    this.editor.allow(isOn);
    this.editor.view.focus();
  }

  /** Shows how the text differs from that on the disk, which the user can take over by hand; or no longer. */
  compare(isOn: boolean): void {
    this.set({ isComparing: isOn });
    this.editor.view.focus();
  }

  toggleWrap(): void {
    const wraps = !this.state.wraps;
    localStorage.setItem(wrapKey, wraps ? "on" : "off");
    this.setWrap(wraps);
  }

  private setWrap(wraps: boolean): void {
    this.editor.wrap(wraps);
    this.set({ wraps });
  }

  /** Gives up what the user wrote. */
  takeDisk(): void {
    this.shown = this.state.content?.version ?? "";
    this.settle(this.state.content?.text ?? "");
    this.editor.view.focus();
  }

  stop(): void {
    if (this.editor.isChanged) this.takeDisk();
    this.edit(false);
  }

  showChange(): void {
    this.editor.goTo(this.state.changedLine);
    this.set({ changedLine: 0 });
  }

  close(): void {
    this.pause.close();
    this.isClosed = true;
    this.app.panes.files.delete(this.pane.id);
    this.link?.close();
    this.editor.close();
  }
}
