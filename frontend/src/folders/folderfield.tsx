import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { FolderOffer } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { OpenDialog } from "@/ui/opendialogs";

interface FolderFieldProps {
  label: string;
  /** Go's name of the field; names the error for tests. */
  name: string;
  value: string;
  onChange: (dir: string) => void;
  placeholder: string;
  error?: { message: string; hint: string } | undefined;
  /** Where the value comes from, if the user did not type it. */
  note?: ReactNode;
}

const shownRecent = 3;

/** A folder: typed with completion, chosen from those below it, or one of the last ones. A missing one can be created. */
export function FolderField({ label, name, value, onChange, placeholder, error, note }: FolderFieldProps) {
  const { offer, isCurrent, create } = useFolderOffer(value, onChange);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const choices = value === "" ? offer.recent : offer.folders;
  const isShown = isOpen && choices !== null && choices.length > 0;

  /** Enters a folder; the list then shows what is below it. */
  const enter = (dir: string, isLast: boolean) => {
    onChange(isLast ? dir : `${dir}/`);
    setAt(-1);
    setOpen(!isLast);
    input.current?.focus();
  };
  const browse = () => {
    const from = offer.dir || (offer.is_missing ? "" : value) || "~";
    onChange(from.endsWith("/") ? from : `${from}/`);
    setOpen(true);
    input.current?.focus();
  };
  const press = (e: KeyboardEvent) => {
    const move = e.code === "ArrowDown" ? 1 : e.code === "ArrowUp" ? -1 : 0;
    const chosen = choices?.[Math.max(at, 0)];
    if (move !== 0) {
      e.preventDefault();
      setOpen(true);
      setAt((i) => Math.min(Math.max(i + move, 0), (choices?.length ?? 0) - 1));
    } else if (isShown && chosen && e.code === "Enter" && at >= 0 && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      enter(chosen, true);
    } else if (isShown && isCurrent && chosen && e.code === "Tab" && !e.shiftKey && !offer.dir) {
      e.preventDefault();
      enter(chosen, false);
    }
  };

  return (
    <div className="relative" onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && setOpen(false)}>
      <Field label={label} name={name} note={note} error={error?.message} hint={error?.hint}>
        {(c) => (
          <div className="flex flex-wrap items-center gap-1.5">
            <div className="relative min-w-60 flex-1">
              <Input
                {...c}
                ref={input}
                data-testid={`field-${name}`}
                role="combobox"
                aria-expanded={isShown}
                aria-controls={list}
                aria-activedescendant={isShown && at >= 0 ? `${list}-${at}` : undefined}
                autoComplete="off"
                spellCheck={false}
                placeholder={placeholder}
                className="pr-20 font-mono text-xs"
                value={value}
                onChange={(e) => {
                  onChange(e.target.value);
                  setAt(-1);
                  setOpen(document.activeElement === e.target);
                }}
                onKeyDown={press}
              />
              <button
                type="button"
                data-testid={`browse-${name}`}
                className="absolute inset-y-0 right-2.5 text-xs text-accent hover:underline"
                onClick={browse}
              >
                Browse…
              </button>
            </div>
            {(offer.recent ?? [])
              .filter((dir) => dir !== value)
              .slice(0, shownRecent)
              .map((dir) => (
                <button
                  key={dir}
                  type="button"
                  data-testid={`recent-${name}`}
                  title={dir}
                  className={cx(
                    "max-w-40 truncate rounded-full border border-border px-2.5 py-1 font-mono text-xs text-text-muted",
                    "hover:bg-surface-hover hover:text-text",
                  )}
                  onClick={() => onChange(dir)}
                >
                  {shortPath(dir)}
                </button>
              ))}
          </div>
        )}
      </Field>
      {isShown ? (
        <Choices id={list} choices={choices} at={at} onChoose={(dir) => enter(dir, value === "")}>
          <OpenDialog close={() => setOpen(false)} />
        </Choices>
      ) : null}
      <State offer={offer} name={name} isQuiet={isShown || error !== undefined} onCreate={create} />
    </div>
  );
}

interface ChoicesProps {
  id: string;
  choices: readonly string[];
  at: number;
  onChoose: (dir: string) => void;
  children: ReactNode;
}

function Choices({ id, choices, at, onChoose, children }: ChoicesProps) {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Folders"
      className={cx(
        "absolute top-full left-0 z-10 -mt-5 max-h-44 w-full overflow-y-auto rounded-md border border-border-strong",
        "bg-surface-raised p-1 shadow-pop",
      )}
    >
      {children}
      {choices.map((dir, i) => (
        <li
          key={dir}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === at}
          data-testid="folder-choice"
          ref={(el) => {
            if (i === at) el?.scrollIntoView({ block: "nearest" });
          }}
          className={cx(
            "cursor-pointer truncate rounded-sm px-2 py-1 font-mono text-xs hover:bg-surface-hover",
            i === at && "bg-surface-hover",
          )}
          // The field keeps the focus.
          onPointerDown={(e) => e.preventDefault()}
          onClick={() => onChoose(dir)}
        >
          {shortPath(dir)}
        </li>
      ))}
    </ul>
  );
}

interface StateProps {
  offer: FolderOffer;
  name: string;
  isQuiet: boolean;
  onCreate: () => void;
}

/** Why a goal cannot work in the typed folder. Its line is always there, so that nothing below moves. */
function State({ offer, name, isQuiet, onCreate }: StateProps) {
  return (
    <p className="mt-1 flex h-4 items-center gap-2 text-xs text-text-muted" role="status">
      {offer.problem && !isQuiet ? (
        <span className="min-w-0 truncate" title={offer.problem} data-testid={`problem-${name}`}>
          {offer.is_missing ? "This folder does not exist." : offer.problem}
        </span>
      ) : null}
      {offer.is_missing ? (
        <Button data-testid={`create-${name}`} className="-my-1.5 h-6" onClick={onCreate}>
          Create it
        </Button>
      ) : null}
    </p>
  );
}

const noOffer: FolderOffer = { dir: "", problem: "", is_missing: false, folders: [], recent: [] };

/** What Go knows about the typed folder. Until the answer is there, it is about what was typed before. */
function useFolderOffer(value: string, onChange: (dir: string) => void) {
  const app = useApp();
  const [{ offer, of }, setAnswer] = useState({ offer: noOffer, of: "" });
  useEffect(() => {
    let isStale = false;
    const answer = (offer: FolderOffer) => !isStale && setAnswer({ offer, of: value });
    app.bridge
      .call("GoalAPI.Folders", value)
      .then(answer)
      .catch(() => answer(noOffer)); // the start reports it
    return () => {
      isStale = true;
    };
  }, [app, value]);
  const create = () => {
    void app.ask("GoalAPI.MakeFolder", value).then((dir) => {
      if (dir !== undefined) onChange(dir);
    });
  };
  return { offer, isCurrent: of === value, create };
}
