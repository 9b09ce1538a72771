import { useState } from "react";
import type { GoalFilter as SavedFilter } from "@/bridge/types";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ChevronIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { Menu, type MenuItem } from "@/ui/menu";
import { parseFilter } from "./filters";
import type { GoalSearch } from "./search";
import type { FilteredGoals } from "./usegoalfilter";

interface SavedFiltersProps {
  search: GoalSearch;
  goals: FilteredGoals;
}

const none: readonly SavedFilter[] = [];

/** The menu of the filters that the user saved, which are in the settings: all windows show the same. */
export function SavedFilters({ search, goals }: SavedFiltersProps) {
  const app = useApp();
  const saved = useAppState((s) => s.settings?.goal_filters ?? none);
  /** What the dialog names: the shown filter, or a saved one; null if it is closed. */
  const [naming, setNaming] = useState<{ was: string } | null>(null);
  const { status, folders, models, today } = goals.filter;
  const shown: SavedFilter = {
    name: "",
    search: search.text.trim(),
    status,
    folders: [...folders],
    models: [...models],
    today,
  };
  const chosen = saved.find((f) => isSame(f, shown));
  const items: MenuItem[] = saved.map((f) => ({
    id: `saved-${f.name}`,
    label: f.name,
    note: f === chosen ? "shown" : "",
    run: () => {
      search.setText(f.search ?? "");
      goals.setFilter(parseFilter(f));
    },
  }));
  if (items.length > 0) items.push(null);
  items.push({
    id: "filter-save",
    label: "Save filter…",
    disabled: goals.hiddenBy.length === 0 || chosen !== undefined,
    takesFocus: true,
    run: () => setNaming({ was: "" }),
  });
  if (chosen) {
    const { name } = chosen;
    items.push(
      { id: "filter-rename", label: `Rename “${name}”…`, takesFocus: true, run: () => setNaming({ was: name }) },
      { id: "filter-delete", label: `Delete “${name}”`, danger: true, run: () => void remove(app, name) },
    );
  }
  return (
    <>
      <Menu items={items} align="start">
        <Button
          data-testid="saved-filters"
          className={cx("h-[30px] max-w-44 min-w-0 shrink", chosen && "border-accent! bg-accent-bg!")}
        >
          <span className="truncate">{chosen ? chosen.name : "Saved filters"}</span>
          <ChevronIcon size={12} className="shrink-0 rotate-90" />
        </Button>
      </Menu>
      {naming ? <NameFilter was={naming.was} shown={shown} onClose={() => setNaming(null)} /> : null}
    </>
  );
}

/** Reports whether two filters show the same goals. */
function isSame(a: SavedFilter, b: SavedFilter): boolean {
  const key = (f: SavedFilter) => {
    const { status, folders, models, today } = parseFilter(f);
    return JSON.stringify([f.search ?? "", status, [...folders].sort(), [...models].sort(), today]);
  };
  return key(a) === key(b);
}

const savedNow = (app: App): readonly SavedFilter[] => app.state.settings?.goal_filters ?? [];

/** Deletes a filter, with a notice that undoes it. */
async function remove(app: App, name: string) {
  const before = savedNow(app);
  const at = before.findIndex((f) => f.name === name);
  const filter = before[at];
  if (!filter || (await app.settings.save({ goal_filters: before.toSpliced(at, 1) }))) return;
  const undo = () => {
    const now = savedNow(app);
    if (!now.some((f) => f.name === name)) void app.settings.save({ goal_filters: now.toSpliced(at, 0, filter) });
  };
  app.notices.done(`Filter “${name}” deleted`, { label: "Undo", run: undo });
}

interface NameFilterProps {
  /** The name of the saved filter that gets another one; "" saves the shown filter. */
  was: string;
  shown: SavedFilter;
  onClose: () => void;
}

/** Asks for the name of a filter. */
function NameFilter({ was, shown, onClose }: NameFilterProps) {
  const app = useApp();
  const [name, setName] = useState(was);
  const [error, setError] = useState("");
  const save = async () => {
    const wanted = name.trim();
    if (!wanted) return;
    const now = savedNow(app);
    if (wanted !== was && now.some((f) => f.name === wanted)) {
      setError("There is a filter with this name. Choose another one.");
      return;
    }
    const next = was
      ? now.map((f) => (f.name === was ? { ...f, name: wanted } : f))
      : [...now, { ...shown, name: wanted }];
    const problem = await app.settings.save({ goal_filters: next }, { silent: true });
    if (problem) setError([problem.message, problem.hint].filter(Boolean).join(" · "));
    else onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={was ? "Rename the filter" : "Save the filter"}
      testid="filter-name-dialog"
      help="how-to/goals"
      className="w-[420px]"
      description="Give the filter of the list of goals a name"
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="filter-name-save" disabled={!name.trim()} onClick={() => void save()}>
            {was ? "Rename" : "Save"}
          </Button>
        </>
      }
    >
      <Field label="Name" name="filter-name" error={error || undefined}>
        {(control) => (
          <Input
            {...control}
            data-testid="filter-name"
            maxLength={60}
            value={name}
            onChange={(e) => {
              setName(e.target.value);
              setError("");
            }}
            onKeyDown={(e) => {
              if (e.code === "Enter") void save();
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}
