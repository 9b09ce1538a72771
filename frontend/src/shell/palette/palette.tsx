import { Command } from "cmdk";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFound } from "@/features/goals/usefound";
import type { HelpText } from "@/features/help/pages";
import type { Action } from "@/lib/actions";
import { stripControl } from "@/lib/text";
import { useControl } from "@/panes/context";
import { useApp, useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Kbd } from "@/ui/button";
import { ReturnFocus } from "@/ui/focus";
import { PageIcon } from "@/ui/pageicon";
import * as source from "./entries";
import { parseQuery, prefixes, rank, type Entry } from "./rank";
import { recentEntries, rememberEntry } from "./recent";
import "./palette.css";

/** The best matches; nobody scrolls through more. */
const mostShown = 50;
const mostHits = 20;

/** Everything that one can go to or do, in one list found by typing. */
export function Palette({ actions }: { actions: readonly Action[] }) {
  const open = useAppState((s) => s.paletteOpen);
  return open ? <Open actions={actions} /> : null;
}

/** The documents are large, so they are loaded when the palette first opens. */
function useHelpTexts(): readonly HelpText[] {
  const [texts, setTexts] = useState<readonly HelpText[]>([]);
  useEffect(() => {
    let wanted = true;
    void import("@/features/help/pages").then((m) => {
      if (wanted) setTexts(m.helpTexts);
    });
    return () => {
      wanted = false;
    };
  }, []);
  return texts;
}

/** The files of the folder that the user is in, loaded as soon as something is typed. */
function useFiles(typed: string): readonly Entry[] {
  const app = useApp();
  const control = useControl();
  const [folder] = useState(() => source.folderOf(app.state, control.activePane));
  const [files, setFiles] = useState<readonly Entry[]>([]);
  const wanted = folder !== "" && typed !== "";
  useEffect(() => {
    let open = wanted;
    const load = async () => {
      // A folder that cannot be read has no files to offer.
      const answer = await app.bridge.call("WorkspaceAPI.Files", folder).catch(() => null);
      if (open && answer) setFiles(source.fileEntries(app, answer));
    };
    if (wanted) void load();
    return () => {
      open = false;
    };
  }, [app, folder, wanted]);
  return files;
}

/** What goals said and did, if the user looks for goals. */
function useHits(typed: string): readonly Entry[] {
  const app = useApp();
  const { text, only } = parseQuery(typed);
  const { out } = useFound(only === "goal" ? text : "");
  return useMemo(() => source.hitEntries(app, out).slice(0, mostHits), [app, out]);
}

function useEntries(actions: readonly Action[], typed: string): readonly Entry[] {
  const app = useApp();
  const control = useControl();
  const files = useFiles(typed);
  const goals = useAppState((s) => s.goals.byId);
  const panes = useAppState((s) => s.panes.panes);
  const providers = useAppState((s) => s.providers);
  const profiles = useAppState((s) => s.terminalProfiles);
  const { answer: servers } = useCall("SSHAPI.List");
  const { answer: library } = useCall("LibraryAPI.List", "");
  const texts = useHelpTexts();
  return useMemo(() => {
    const cards = Object.values(goals).map((k) => k.card);
    const show = (id: string) => {
      app.go("workspace");
      control.show(id);
    };
    return [
      ...source.actionEntries(app, actions),
      ...source.goalEntries(
        app,
        cards.sort((a, b) => (a.created_at < b.created_at ? 1 : -1)),
      ),
      ...source.paneEntries(panes, show),
      ...source.templateEntries(app, library ?? []),
      ...source.profileEntries(app, profiles),
      ...source.serverEntries(app, servers ?? []),
      ...source.modelEntries(app, providers),
      ...source.settingEntries(app),
      ...source.helpEntries(app, texts),
      ...files,
    ];
  }, [app, control, actions, goals, panes, profiles, providers, servers, library, texts, files]);
}

function Open({ actions }: { actions: readonly Action[] }) {
  const app = useApp();
  const [typed, setTyped] = useState("");
  const [selected, setSelected] = useState("");
  const [recent] = useState(recentEntries);
  const entries = useEntries(actions, typed);
  const hits = useHits(typed);
  const found = useMemo(() => {
    const ranked = rank(entries, parseQuery(typed), recent);
    return [...ranked.slice(0, mostShown - hits.length), ...hits];
  }, [entries, hits, typed, recent]);
  const input = useRef<HTMLInputElement>(null);
  const close = () => app.set({ paletteOpen: false });
  const type = (text: string) => {
    setTyped(text);
    setSelected("");
  };
  const choose = (prefix: string) => {
    type(prefix + parseQuery(typed).text);
    input.current?.focus();
  };
  const first = found[0]?.id ?? "";
  // The best match is selected as soon as it is known, until the user moves to another one.
  const current = found.some((e) => e.id === selected) ? selected : first;

  const run = (entry: Entry) => {
    if (!hits.includes(entry)) rememberEntry(entry.id);
    close();
    // The palette restores the focus when it closes; an action that moves the focus must run after that.
    setTimeout(() => void entry.run(), 0);
  };

  return (
    <Command.Dialog
      open
      onOpenChange={(o) => !o && close()}
      label="Commands"
      loop
      shouldFilter={false}
      value={current}
      onValueChange={setSelected}
      className="palette"
      overlayClassName="fixed inset-0 z-[1000] bg-scrim"
      contentClassName={
        "appear fixed top-[12vh] left-1/2 z-[1001] w-[600px] max-w-[calc(100vw-32px)] " +
        "-translate-x-1/2 overflow-hidden rounded-lg border border-border-strong " +
        "bg-surface-raised shadow-pop"
      }
    >
      <ReturnFocus />
      <div data-testid="palette">
        <Command.Input
          ref={input}
          data-testid="palette-input"
          placeholder="What do you want to do or find?"
          value={typed}
          onValueChange={type}
        />
        <Command.List>
          <Command.Empty>{noMatch(typed)}</Command.Empty>
          {found.map((entry) => (
            <Line key={entry.id} entry={entry} wasUsed={typed === "" && recent.includes(entry.id)} onRun={run} />
          ))}
        </Command.List>
        <Kinds onChoose={choose} />
      </div>
    </Command.Dialog>
  );
}

function noMatch(typed: string): string {
  const { only } = parseQuery(typed);
  if (only === "file")
    return "No file matches. Files are those of the focused terminal's folder or of the selected goal.";
  return only ? "Nothing matches. Without the first character everything is searched." : "Nothing matches.";
}

/** Keeps one kind, as its first character does. */
function Kinds({ onChoose }: { onChoose: (prefix: string) => void }) {
  return (
    <div className="flex flex-wrap gap-1 border-t border-border px-2 py-1 text-2xs text-text-faint">
      {prefixes.map((p) => (
        <button
          key={p.prefix}
          type="button"
          className="rounded-sm px-2 py-1 hover:bg-surface-hover hover:text-text"
          onClick={() => onChoose(p.prefix)}
        >
          <Kbd>{p.prefix}</Kbd> {p.label}
        </button>
      ))}
    </div>
  );
}

interface LineProps {
  entry: Entry;
  /** It is among those that were used last. */
  wasUsed: boolean;
  onRun: (entry: Entry) => void;
}

function Line({ entry, wasUsed, onRun }: LineProps) {
  return (
    <Command.Item
      value={entry.id}
      data-testid={entry.id.replace(":", "-")}
      data-kind={entry.kind}
      onSelect={() => onRun(entry)}
    >
      {entry.icon === undefined ? null : <PageIcon icon={entry.icon} size={14} />}
      <span className="min-w-0 flex-1 truncate">{stripControl(entry.title)}</span>
      <span className="max-w-[45%] shrink-0 truncate text-xs text-text-faint">
        {wasUsed ? "Recent" : stripControl(entry.note)}
      </span>
      {entry.keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Command.Item>
  );
}
