import { useContext, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { leaderKey, type Action } from "@/lib/actions";
import { conflicts, keyOf, keyWarning, refusedKey, sameKey } from "@/lib/bindings";
import { keyLabel, type Key } from "@/lib/keys";
import { CommandsContext, useApp } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Input } from "@/ui/input";
import { Choice, Group, type SectionProps } from "./rows";

type Shown = "all" | "changed" | "none";

/** The keys of the window's commands, and how to change them. */
export function Keyboard({ settings, save }: SectionProps) {
  const app = useApp();
  const { commands, defaults } = useContext(CommandsContext);
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const [finding, setFinding] = useState<Key | null>(null);
  const [recording, setRecording] = useState("");
  const keys = settings.keys ?? {};
  const changed = commands.filter((a) => a.id in keys);
  const words = filter.toLowerCase().split(/\s+/);
  const list = commands.filter(
    (a) =>
      (shown === "all" || (shown === "changed" ? a.id in keys : a.keys.length === 0)) &&
      (!finding || a.keys.some((k) => sameKey(k, finding)) || a.leader.toUpperCase() === keyLabel(finding)) &&
      words.every((w) => `${a.group} ${a.title} ${a.words.join(" ")}`.toLowerCase().includes(w)),
  );
  /** Gives commands other keys; those with their default keys are not kept in the settings. */
  const bind = (next: Record<string, readonly Key[]>) => {
    const all = new Map([...Object.entries(keys), ...Object.entries(next)]);
    const isDefault = (id: string, own: readonly Key[]) =>
      String(defaults.find((a) => a.id === id)?.keys ?? []) === String(own);
    const kept = [...all].filter(([id, own]) => !isDefault(id, own ?? []));
    setRecording("");
    return save({ keys: Object.fromEntries(kept.map(([id, own]) => [id, [...(own ?? [])]])) });
  };
  const resetAll = () =>
    app.confirm({
      title: "Reset all keys?",
      text: `${changed.length} ${changed.length === 1 ? "command gets its" : "commands get their"} default keys back.`,
      yes: "Reset all",
      danger: true,
      run: async () => void (await save({ keys: {} })),
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
                  isChanged={a.id in keys}
                  isRecording={recording === a.id}
                  commands={commands}
                  onRecord={(on) => setRecording(on ? a.id : "")}
                  onBind={(next) => void bind(next)}
                  onReset={() => void bind({ [a.id]: defaults.find((d) => d.id === a.id)?.keys ?? [] })}
                />
              ))}
          </ul>
        </Group>
      ))}
      {list.length === 0 ? (
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

interface KeyRowProps {
  command: Action;
  commands: readonly Action[];
  isChanged: boolean;
  isRecording: boolean;
  onRecord: (on: boolean) => void;
  onBind: (keys: Record<string, readonly Key[]>) => void;
  onReset: () => void;
}

function KeyRow({ command: a, commands, isChanged, isRecording, onRecord, onBind, onReset }: KeyRowProps) {
  return (
    <li
      data-testid="key-row"
      data-id={a.id}
      className={cx("border-b border-border px-4 py-1.5 last:border-b-0", isRecording && "bg-accent-bg")}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-2">
        <span className="min-w-40 flex-1">{a.title}</span>
        <span className="flex w-72 flex-wrap items-center gap-1 text-xs text-text-faint max-[640px]:w-full">
          {a.keys.map((k) => (
            <Kbd key={k}>{keyLabel(k)}</Kbd>
          ))}
          {a.leader ? (
            <>
              {a.keys.length > 0 ? "or" : null} <Kbd>{keyLabel(leaderKey)}</Kbd> then{" "}
              <Kbd>{a.leader.toUpperCase()}</Kbd>
            </>
          ) : a.keys.length === 0 ? (
            "Not set"
          ) : null}
        </span>
        <span className="w-16 text-xs text-accent">{isChanged ? "Changed" : ""}</span>
        <Button look="quiet" data-testid="key-reset" className={isChanged ? "" : "invisible"} onClick={onReset}>
          Reset
        </Button>
        <Button data-testid="key-change" aria-label={`Change the key of ${a.title}`} onClick={() => onRecord(true)}>
          Change
        </Button>
      </div>
      {isRecording ? (
        <Recorder command={a} commands={commands} onCancel={() => onRecord(false)} onBind={onBind} />
      ) : null}
    </li>
  );
}

interface RecorderProps {
  command: Action;
  commands: readonly Action[];
  onCancel: () => void;
  onBind: (keys: Record<string, readonly Key[]>) => void;
}

/** Takes the next key. One that cannot be, that others have or that is only to be known about is named first. */
function Recorder({ command, commands, onCancel, onBind }: RecorderProps) {
  const app = useApp();
  const [key, setKey] = useState<Key | null>(null);
  const field = useRef<HTMLButtonElement>(null);
  useRecording(true);
  useEffect(() => field.current?.focus(), []);
  const refused = key ? refusedKey(key) : "";
  const others = key ? conflicts(commands, command, key) : [];
  const warning = key ? keyWarning(key, app.bridge.window) : "";
  const without = (a: Action, gone: Key) => a.keys.filter((k) => !sameKey(k, gone));
  const press = (e: KeyboardEvent) => {
    if (isModifier(e) || e.code === "Tab") return;
    e.preventDefault();
    e.stopPropagation();
    const pressed = keyOf(e);
    if (e.code === "Escape") onCancel();
    else if (pressed === "Backspace") onBind({ [command.id]: [] });
    else if (
      refusedKey(pressed) ||
      conflicts(commands, command, pressed).length > 0 ||
      keyWarning(pressed, app.bridge.window)
    )
      setKey(pressed);
    else onBind({ [command.id]: [pressed] });
  };
  const take = (swap: boolean) => {
    if (!key) return;
    const given = others.map((o) => [o.id, [...without(o, key), ...(swap ? command.keys : [])]] as const);
    onBind({ ...Object.fromEntries(given), [command.id]: [key] });
  };
  return (
    <div className="flex flex-wrap items-center gap-2 py-1.5 text-xs" data-testid="key-recorder">
      <button
        ref={field}
        type="button"
        data-testid="key-field"
        className="field h-7 w-48 text-left"
        aria-label={`${key ? keyLabel(key) : "Press the new key"}, of ${command.title}`}
        onKeyDown={press}
      >
        {key ? keyLabel(key) : "Press the new key"}
      </button>
      <span role="status" className="min-w-0 flex-1 text-text-muted" data-testid="key-note">
        {refused ||
          (others.length > 0
            ? `${keyLabel(key ?? "")} is used by ${others.map((o) => o.title).join(", ")}. ${warning}`
            : warning || "Esc cancels, Backspace takes the key away.")}
      </span>
      <Button look="quiet" data-testid="key-cancel" onClick={onCancel}>
        Cancel
      </Button>
      {key && !refused && others.length > 0 && command.keys.length > 0 ? (
        <Button data-testid="key-swap" onClick={() => take(true)}>
          Swap
        </Button>
      ) : null}
      {key && !refused ? (
        <Button look="primary" data-testid="key-take" onClick={() => take(false)}>
          {others.length > 0 ? "Replace" : "Use it"}
        </Button>
      ) : null}
    </div>
  );
}
