import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  LanguageDescription,
  syntaxHighlighting,
} from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { unifiedMergeView } from "@codemirror/merge";
import { gotoLine, highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import {
  Compartment,
  EditorState,
  StateEffect,
  StateField,
  Text,
  Transaction,
  type Extension,
} from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

interface EditorHandlers {
  /** The user changed the text, or undid all that was changed. */
  edited: () => void;
}

/** Colours a file only up to this size, as highlighting reads all that is above the shown lines. */
const maxColored = 4_000_000;

/** A file in CodeMirror: read-only until `edit`. */
export class FileEditor {
  readonly view: EditorView;
  private readonly access = new Compartment();
  private readonly language = new Compartment();
  private readonly wrapping = new Compartment();
  private readonly comparison = new Compartment();
  private saved = Text.empty;

  constructor(
    parent: HTMLElement,
    private readonly name: string,
    on: EditorHandlers,
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          highlightActiveLineGutter(),
          highlightActiveLine(),
          drawSelection(),
          history(),
          indentOnInput(),
          bracketMatching(),
          this.wrapping.of(EditorView.lineWrapping),
          this.comparison.of([]),
          highlightSelectionMatches(),
          search({ top: true }),
          changedLines,
          look,
          keymap.of([
            { key: "Mod-g", run: gotoLine },
            ...searchKeymap.filter((b) => b.key !== "Mod-g"),
            ...historyKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          // A text that cannot be changed can still be reached and scrolled with keys.
          EditorView.contentAttributes.of({ "aria-label": `Text of ${name}`, tabindex: "0" }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) on.edited();
          }),
          this.access.of(readOnly),
          this.language.of([]),
        ],
      }),
    });
  }

  get doc(): Text {
    return this.view.state.doc;
  }

  get text(): string {
    return this.doc.sliceString(0, this.doc.length, this.lineBreak);
  }

  /** Whether the text differs from the file's. */
  get isChanged(): boolean {
    return !this.view.state.doc.eq(this.saved);
  }

  /** The selected text and its lines, counted from 1; null if nothing is selected. */
  get selected(): { text: string; from: number; to: number } | null {
    const { from, to, empty } = this.view.state.selection.main;
    if (empty) return null;
    const line = (at: number) => this.doc.lineAt(at).number;
    const text = this.doc.sliceString(from, to);
    return { text, from: line(from), to: line(text.endsWith("\n") ? to - 1 : to) };
  }

  /** What ends the lines of the file. */
  private lineBreak = "\n";

  /** Shows the first lines of a file, whose whole text is loaded later. */
  begin(text: string): void {
    const insert = Text.of(text.split(lineBreakOf(text)));
    this.saved = insert;
    this.view.dispatch({
      changes: { from: 0, to: this.doc.length, insert },
      annotations: Transaction.addToHistory.of(false),
    });
  }

  /**
   * Shows what the file holds now. If it was shown before, marks the lines that are new, and returns the first of them,
   * counted from 1; 0 if nothing is new.
   */
  load(text: string, isFirst: boolean): number {
    this.lineBreak = lineBreakOf(text);
    const doc = Text.of(text.split(this.lineBreak));
    const change = difference(this.view.state.doc, doc);
    this.saved = doc;
    if (!change) return 0;
    const to = change.from + change.insert.length;
    this.view.dispatch({
      changes: change,
      annotations: Transaction.addToHistory.of(!isFirst),
      effects: isFirst ? [] : [markChanged.of({ from: change.from, to })],
    });
    if (isFirst) void this.color(text.length);
    return isFirst ? 0 : this.view.state.doc.lineAt(change.from).number;
  }

  /** Replaces the text as if the user had written it. */
  write(text: string): void {
    const change = difference(this.doc, Text.of(text.split(this.lineBreak)));
    if (change) this.view.dispatch({ changes: change });
  }

  /** A text was saved; the user may have typed since. */
  noteSaved(doc: Text): void {
    this.saved = doc;
    this.view.dispatch({ effects: markChanged.of(null) });
  }

  /** Lets the user change the text, or not. */
  allow(isOn: boolean): void {
    this.view.dispatch({ effects: this.access.reconfigure(isOn ? [] : readOnly) });
  }

  /** Breaks lines that are longer than the pane is wide, or not. */
  wrap(isOn: boolean): void {
    this.view.dispatch({ effects: this.wrapping.reconfigure(isOn ? EditorView.lineWrapping : []) });
  }

  /** Shows how the text differs from another one: what it adds, and above it what it lacks. null shows it plain. */
  compare(other: string | null): void {
    const shown = other === null ? [] : comparisonWith(Text.of(other.split(lineBreakOf(other))));
    this.view.dispatch({ effects: this.comparison.reconfigure(shown) });
  }

  /** Shows a line, counted from 1. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
    this.view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
    this.view.focus();
  }

  askLine(): void {
    gotoLine(this.view);
  }

  search(): void {
    openSearchPanel(this.view);
  }

  close(): void {
    this.view.destroy();
  }

  private async color(length: number): Promise<void> {
    const found = LanguageDescription.matchFilename(languages, this.name);
    if (!found || length > maxColored) return;
    const support = await found.load();
    this.view.dispatch({ effects: this.language.reconfigure(support) });
  }
}

/** What ends the lines of a text. Line breaks of both kinds stay as they are. */
function lineBreakOf(text: string): string {
  return text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text) ? "\r\n" : "\n";
}

/** The only change that makes one text of the other: the lines between their common beginning and end. */
export function difference(before: Text, after: Text): { from: number; to: number; insert: Text } | null {
  const lines = Math.min(before.lines, after.lines);
  let same = 0;
  while (same < lines && before.line(same + 1).text === after.line(same + 1).text) same++;
  if (same === before.lines && same === after.lines) return null;
  let last = 0;
  const endsAlike = () => before.line(before.lines - last).text === after.line(after.lines - last).text;
  while (last < lines - same && endsAlike()) last++;
  // The last line has no line break: it belongs to the change if lines are added or removed below it.
  if (last === 0) same = Math.min(same, lines - 1);
  const start = (t: Text, line: number) => (line <= t.lines ? t.line(line).from : t.length);
  return {
    from: start(before, same + 1),
    to: start(before, before.lines - last + 1),
    insert: after.slice(start(after, same + 1), start(after, after.lines - last + 1)),
  };
}

/** Differences are searched for at most so long: in very different texts they are coarser. */
const maxCompareTime = 500; // ms

function comparisonWith(original: Text): Extension {
  return unifiedMergeView({ original, mergeControls: false, diffConfig: { scanLimit: 500, timeout: maxCompareTime } });
}

const readOnly: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false)];

/** Marks the lines that somebody else changed last; null removes the marks. */
const markChanged = StateEffect.define<{ from: number; to: number } | null>();

const changedLine = Decoration.line({ class: "cm-changed" });

const changedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    let next = marks.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(markChanged)) continue;
      next = e.value ? linesOf(tr.state.doc, e.value) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function linesOf(doc: Text, { from, to }: { from: number; to: number }): DecorationSet {
  const maxMarked = 5_000;
  const first = doc.lineAt(from).number;
  const last = Math.min(doc.lineAt(Math.max(from, to - 1)).number, first + maxMarked);
  const marks = [];
  for (let n = first; n <= last; n++) marks.push(changedLine.range(doc.line(n).from));
  return Decoration.set(marks);
}

const colors = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: "var(--text-faint)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--agent)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--warn)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.heading], color: "var(--accent)" },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.propertyName], color: "var(--accent)" },
  { tag: [tags.invalid, tags.deleted], color: "var(--bad)" },
  { tag: tags.inserted, color: "var(--ok)" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.link, textDecoration: "underline" },
]);

const look: Extension = [
  syntaxHighlighting(colors),
  EditorView.theme({
    "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
    ".cm-content": { caretColor: "var(--accent)" },
    ".cm-cursor": { borderLeftColor: "var(--accent)" },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface-hover)" },
    ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
      backgroundColor: "var(--accent-bg)",
    },
    ".cm-searchMatch, .cm-selectionMatch": { backgroundColor: "var(--warn-bg)" },
    ".cm-searchMatch-selected": { outline: "1px solid var(--warn)" },
    ".cm-matchingBracket": { backgroundColor: "var(--accent-bg) !important", color: "inherit !important" },
    ".cm-changed": { backgroundColor: "var(--add)", boxShadow: "inset 3px 0 0 var(--ok)" },
    ".cm-changedLine": { backgroundColor: "var(--add) !important" },
    ".cm-deletedChunk": { backgroundColor: "var(--del)" },
    ".cm-changedText": { background: "none !important", boxShadow: "inset 0 -1px 0 var(--ok)" },
    ".cm-deletedChunk .cm-deletedText": { background: "none", boxShadow: "inset 0 -1px 0 var(--bad)" },
    ".cm-changedLineGutter": { backgroundColor: "var(--ok)" },
    ".cm-deletedLineGutter": { backgroundColor: "var(--bad)" },
    ".cm-panels": {
      backgroundColor: "var(--surface-raised)",
      color: "var(--text)",
      borderColor: "var(--border)",
      fontFamily: "var(--font)",
    },
    ".cm-panels input, .cm-panels button": {
      backgroundColor: "var(--bg)",
      backgroundImage: "none",
      color: "var(--text)",
      border: "1px solid var(--border-strong)",
      borderRadius: "4px",
    },
  }),
];
