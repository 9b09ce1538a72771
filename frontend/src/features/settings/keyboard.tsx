import { useContext, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { leaderKey, type Action } from "@/lib/actions";
import { conflicts, keyOf, keyWarning, leaderConflicts, leaderOf, refusedKey, sameKey } from "@/lib/bindings";
import { keyLabel, type Key } from "@/lib/keys";
import { CommandsContext, useApp, useAppState } from "@/store/context";
import { goalTabLabels, goalTabs } from "@/store/state";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Input } from "@/ui/input";
import { commandPlace } from "./places";
import { Choice, Group, type SectionProps } from "./rows";

/** The keys of a goal's tabs, which count only there. */
const tabKeys = goalTabs.map((tab, i) => ({ key: String(i + 1), title: `Goals: show the tab ${goalTabLabels[tab]}` }));

type Shown = "all" | "changed" | "none";

/** The keys of the window's commands, and how to change them. One that was jumped to is not filtered out. */
export function Keyboard(props: SectionProps) {
  const at = useAppState((s) => s.settingsAt.title);
  return <Keys key={at} {...props} />;
}

/** What of a command waits for a key. */
interface Recording {
  id: string;
  what: "key" | "leader";
}

function Keys({ settings, save }: SectionProps) {
  const app = useApp();
  const { commands, defaults } = useContext(CommandsContext);
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const [finding, setFinding] = useState<Key | null>(null);
  const [recording, setRecording] = useState<Recording | null>(null);
  const keys = settings.keys ?? {};
  const leaders = settings.leader_keys ?? {};
  const isChanged = (a: Action) => a.id in keys || a.id in leaders;
  const changed = commands.filter(isChanged);
  const words = filter.toLowerCase().split(/\s+/);
  const list = commands.filter(
    (a) =>
      (shown === "all" || (shown === "changed" ? isChanged(a) : a.keys.length === 0)) &&
      (!finding || a.keys.some((k) => sameKey(k, finding)) || a.leader.toUpperCase() === keyLabel(finding)) &&
      words.every((w) => `${a.group} ${a.title} ${a.words.join(" ")}`.toLowerCase().includes(w)),
  );
  const fixed = tabKeys.filter(
    (row) =>
      shown === "all" &&
      (!finding || keyLabel(finding) === row.key) &&
      words.every((w) => row.title.toLowerCase().includes(w)),
  );
  const defaultOf = (id: string) => defaults.find((a) => a.id === id);
  /** Gives commands other keys and letters; their defaults are not kept in the settings. */
  const bind = ({ keys: newKeys = {}, leaders: newLeaders = {} }: Rebinding) => {
    const isOwnKeys = ([id, own]: [string, readonly Key[] | null]) =>
      String(defaultOf(id)?.keys ?? []) !== String(own ?? []);
    const isOwnLetter = ([id, own]: [string, string]) => (defaultOf(id)?.leader ?? "") !== own;
    const keptKeys = Object.entries({ ...keys, ...newKeys }).filter(isOwnKeys);
    const keptLeaders = Object.entries({ ...leaders, ...newLeaders }).filter(isOwnLetter);
    setRecording(null);
    return save({
      keys: Object.fromEntries(keptKeys.map(([id, own]) => [id, [...(own ?? [])]])),
      leader_keys: Object.fromEntries(keptLeaders),
    });
  };
  const reset = ({ id }: Action) =>
    void bind({ keys: { [id]: defaultOf(id)?.keys ?? [] }, leaders: { [id]: defaultOf(id)?.leader ?? "" } });
  const resetAll = () =>
    app.confirm({
      title: "Reset all keys?",
      text: `${changed.length} ${changed.length === 1 ? "command gets its" : "commands get their"} default keys back.`,
      yes: "Reset all",
      danger: true,
      run: async () => void (await save({ keys: {}, leader_keys: {} })),
    });
  return (
    <div data-testid="keyboard">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Input
          className="min-w-40 flex-1"
          aria-label="Search commands"
          placeholder="Search commands"
          data-testid="key-filter"
          value={filter}
          onChange={(e) => setFilter(e.target.value)}
        />
        <FindByKey found={finding} onFind={setFinding} />
        <Choice
          name="keys-shown"
          value={shown}
          choices={[
            { value: "all", title: "All" },
            { value: "changed", title: `Changed ${changed.length}` },
            { value: "none", title: "Not set" },
          ]}
          onChange={setShown}
        />
        <Button data-testid="keys-reset" disabled={changed.length === 0} onClick={resetAll}>
          Reset all…
        </Button>
      </div>
      {[...new Set(list.map((a) => a.group))].map((group) => (
        <Group key={group} title={group}>
          <ul>
            {list
              .filter((a) => a.group === group)
              .map((a) => (
                <KeyRow
                  key={a.id}
                  command={a}
                  isChanged={isChanged(a)}
                  recording={recording?.id === a.id ? recording.what : null}
                  commands={commands}
                  onRecord={(what) => setRecording(what ? { id: a.id, what } : null)}
                  onBind={(next) => void bind(next)}
                  onReset={() => reset(a)}
                />
              ))}
          </ul>
        </Group>
      ))}
      {fixed.length > 0 ? (
        <section aria-label="Keys in an open goal" className="mb-5">
          <p className="mb-1 text-xs text-text-muted">In an open goal</p>
          <ul className="rounded-md border border-border">
            {fixed.map(({ title, key }) => (
              <li
                key={key}
                data-testid="fixed-key-row"
                className="flex min-h-10 items-center gap-2 border-b border-border px-4 py-1.5 last:border-b-0"
              >
                <span className="min-w-40 flex-1">{title}</span>
                <Kbd>{key}</Kbd>
                <span className="text-xs text-text-faint">cannot be changed</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {list.length + fixed.length === 0 ? (
        <p className="px-4 py-3 text-text-faint" data-testid="keys-none">
          {finding ? `${keyLabel(finding)} does nothing in Goalpost.` : "No command fits."}
        </p>
      ) : null}
    </div>
  );
}

/** While it is rendered, keys do not run commands of the window. */
function useRecording(isOn: boolean) {
  const app = useApp();
  useEffect(() => {
    if (!isOn) return;
    app.set({ recordsKey: true });
    return () => app.set({ recordsKey: false });
  }, [app, isOn]);
}

const isModifier = (e: KeyboardEvent) => /^(Shift|Control|Alt|Meta)(Left|Right)$/.test(e.code);

/** A button that shows only the commands of the key that is pressed after it. */
function FindByKey({ found, onFind }: { found: Key | null; onFind: (key: Key | null) => void }) {
  const [isWaiting, setWaiting] = useState(false);
  useRecording(isWaiting);
  const press = (e: KeyboardEvent) => {
    if (!isWaiting || isModifier(e) || e.code === "Tab") return;
    e.preventDefault();
    setWaiting(false);
    onFind(e.code === "Escape" ? null : keyOf(e));
  };
  return (
    <Button
      data-testid="find-by-key"
      aria-pressed={isWaiting || found !== null}
      onKeyDown={press}
      onBlur={() => setWaiting(false)}
      onClick={() => {
        if (found) onFind(null);
        else setWaiting(true);
      }}
    >
      {isWaiting ? "Press a key…" : found ? `${keyLabel(found)} ×` : "Find by key"}
    </Button>
  );
}

/** Keys and letters that commands get, by their ids. */
interface Rebinding {
  keys?: Record<string, readonly Key[]>;
  leaders?: Record<string, string>;
}

interface KeyRowProps {
  command: Action;
  commands: readonly Action[];
  isChanged: boolean;
  recording: Recording["what"] | null;
  onRecord: (what: Recording["what"] | null) => void;
  onBind: (next: Rebinding) => void;
  onReset: () => void;
}

function KeyRow({ command: a, commands, isChanged, recording, onRecord, onBind, onReset }: KeyRowProps) {
  const Recorder = recording === "leader" ? LeaderRecorder : KeyRecorder;
  return (
    <li
      data-testid="key-row"
      data-id={a.id}
      data-setting={commandPlace(a.id)}
      className={cx("border-b border-border px-4 py-1.5 last:border-b-0", recording && "bg-accent-bg")}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-2">
        <span className="min-w-40 flex-1">{a.title}</span>
        <span className="flex w-80 flex-wrap items-center gap-1 text-xs text-text-faint max-[640px]:w-full">
          {a.keys.map((k) => (
            <Kbd key={k}>{keyLabel(k)}</Kbd>
          ))}
          {a.keys.length > 0 ? "or" : null} <Kbd>{keyLabel(leaderKey)}</Kbd> then{" "}
          <button
            type="button"
            data-testid="leader-change"
            aria-label={`Change the letter of ${a.title}`}
            className="rounded-sm hover:bg-surface-hover hover:text-text"
            onClick={() => onRecord("leader")}
          >
            {a.leader ? <Kbd>{a.leader.toUpperCase()}</Kbd> : "…"}
          </button>
        </span>
        <span className="w-16 text-xs text-accent">{isChanged ? "Changed" : ""}</span>
        <Button look="quiet" data-testid="key-reset" className={isChanged ? "" : "invisible"} onClick={onReset}>
          Reset
        </Button>
        <Button
          data-testid="key-change"
          data-main=""
          aria-label={`Change the key of ${a.title}`}
          onClick={() => onRecord("key")}
        >
          Change
        </Button>
      </div>
      {recording ? <Recorder command={a} commands={commands} onCancel={() => onRecord(null)} onBind={onBind} /> : null}
    </li>
  );
}

interface RecorderProps {
  command: Action;
  commands: readonly Action[];
  onCancel: () => void;
  onBind: (next: Rebinding) => void;
}

/** Takes the next key. One that cannot be, that others have or that is only to be known about is named first. */
function KeyRecorder({ command, commands, onCancel, onBind }: RecorderProps) {
  const app = useApp();
  const without = (a: Action, gone: Key) => a.keys.filter((k) => !sameKey(k, gone));
  return (
    <RecorderLine
      of={command}
      what="key"
      label={keyLabel}
      read={keyOf}
      refused={refusedKey}
      others={(key) => conflicts(commands, command, key)}
      warning={(key) => keyWarning(key, app.bridge.window)}
      canSwap={command.keys.length > 0}
      onCancel={onCancel}
      onClear={() => onBind({ keys: { [command.id]: [] } })}
      onTake={(key, others, swap) => {
        const given = others.map((o) => [o.id, [...without(o, key), ...(swap ? command.keys : [])]] as const);
        onBind({ keys: { ...Object.fromEntries(given), [command.id]: [key] } });
      }}
    />
  );
}

/** Takes the next letter, which runs the command after the leader. */
function LeaderRecorder({ command, commands, onCancel, onBind }: RecorderProps) {
  return (
    <RecorderLine
      of={command}
      what="letter"
      label={(letter) => letter.toUpperCase()}
      read={(e) => leaderOf(e) || keyOf(e)}
      refused={(letter) => (letter.length > 1 ? "Press a letter, a digit or an arrow alone." : "")}
      others={(letter) => leaderConflicts(commands, command, letter)}
      warning={() => ""}
      canSwap={command.leader !== ""}
      onCancel={onCancel}
      onClear={() => onBind({ leaders: { [command.id]: "" } })}
      onTake={(letter, others, swap) => {
        const given = others.map((o) => [o.id, swap ? command.leader : ""] as const);
        onBind({ leaders: { ...Object.fromEntries(given), [command.id]: letter } });
      }}
    />
  );
}

interface RecorderLineProps {
  of: Action;
  what: "key" | "letter";
  label: (value: string) => string;
  read: (press: KeyboardEvent) => string;
  /** Why a value cannot be taken, and what to know about one; "" for nothing. */
  refused: (value: string) => string;
  warning: (value: string) => string;
  /** The other commands that have a value. */
  others: (value: string) => Action[];
  canSwap: boolean;
  onTake: (value: string, others: readonly Action[], swap: boolean) => void;
  onClear: () => void;
  onCancel: () => void;
}

function RecorderLine({ of, what, label, onTake, onClear, onCancel, ...p }: RecorderLineProps) {
  const [value, setValue] = useState("");
  const field = useRef<HTMLButtonElement>(null);
  useRecording(true);
  useEffect(() => field.current?.focus(), []);
  const refused = value ? p.refused(value) : "";
  const others = value && !refused ? p.others(value) : [];
  const warning = value ? p.warning(value) : "";
  const press = (e: KeyboardEvent) => {
    if (isModifier(e) || e.code === "Tab") return;
    e.preventDefault();
    e.stopPropagation();
    const pressed = p.read(e);
    if (e.code === "Escape") onCancel();
    else if (pressed === "Backspace") onClear();
    else if (p.refused(pressed) || p.others(pressed).length > 0 || p.warning(pressed)) setValue(pressed);
    else onTake(pressed, [], false);
  };
  const shown = value ? label(value) : `Press the new ${what}`;
  return (
    <div className="flex flex-wrap items-center gap-2 py-1.5 text-xs" data-testid="key-recorder">
      <button
        ref={field}
        type="button"
        data-testid="key-field"
        className="field h-7 w-48 text-left"
        aria-label={`${shown}, of ${of.title}`}
        onKeyDown={press}
      >
        {shown}
      </button>
      <span role="status" className="min-w-0 flex-1 text-text-muted" data-testid="key-note">
        {refused ||
          (others.length > 0
            ? `${label(value)} is used by ${others.map((o) => o.title).join(", ")}. ${warning}`
            : warning || `Esc cancels, Backspace takes the ${what} away.`)}
      </span>
      <Button look="quiet" data-testid="key-cancel" onClick={onCancel}>
        Cancel
      </Button>
      {others.length > 0 && p.canSwap ? (
        <Button data-testid="key-swap" onClick={() => onTake(value, others, true)}>
          Swap
        </Button>
      ) : null}
      {value && !refused ? (
        <Button look="primary" data-testid="key-take" onClick={() => onTake(value, others, false)}>
          {others.length > 0 ? "Replace" : "Use it"}
        </Button>
      ) : null}
    </div>
  );
}
