import type { RefObject } from "react";
import { Button, Kbd } from "@/ui/button";
import { FilterMenu } from "./filtermenu";
import { modelName } from "./filters";
import { folderName, type ListView } from "./listorder";
import { ListViewFields, SearchField } from "./listparts";
import { Overviews } from "./overviews";
import { SavedFilters } from "./savedfilters";
import type { GoalSearch } from "./search";
import type { FilteredGoals } from "./usegoalfilter";

interface FilterBarProps {
  field: RefObject<HTMLInputElement | null>;
  search: GoalSearch;
  goals: FilteredGoals;
  view: ListView;
  onView: (view: ListView) => void;
  onClear: () => void;
}

/** What limits, groups and sorts the table. */
export function FilterBar({ field, search, goals, view, onView, onClear }: FilterBarProps) {
  const { filter, setFilter, counts } = goals;
  return (
    <div className="flex shrink-0 items-center gap-1.5 px-4 py-2" data-testid="filter-bar">
      <SearchField field={field} text={search.text} onText={search.setText} className="w-64 min-w-36 shrink" />
      <FilterMenu
        id="filter-folder"
        title="Folder"
        counts={counts.folders}
        chosen={filter.folders}
        onChoose={(folders) => setFilter({ ...filter, folders })}
        nameOf={folderName}
      />
      <FilterMenu
        id="filter-model"
        title="Model"
        counts={counts.models}
        chosen={filter.models}
        onChoose={(models) => setFilter({ ...filter, models })}
        nameOf={modelName}
      />
      <SavedFilters search={search} goals={goals} />
      {goals.hiddenBy.length > 0 ? (
        <Button look="quiet" data-testid="filter-bar-clear" onClick={onClear}>
          Clear filters
        </Button>
      ) : null}
      <span className="flex-1" />
      <Overviews wide />
      <Button
        look="quiet"
        data-testid="fleet-toggle"
        aria-pressed={view.strip}
        title={view.strip ? "Hide the overview of all goals" : "Show the overview of all goals"}
        className="max-[1200px]:hidden"
        onClick={() => onView({ ...view, strip: !view.strip })}
      >
        Overview <Kbd>F</Kbd>
      </Button>
      <ListViewFields view={view} onView={onView} className="w-64 min-w-44 shrink" />
    </div>
  );
}

/** Names the filters of the table that have no field in the narrow list. */
export function FilterNote({ goals, onClear }: { goals: FilteredGoals; onClear: () => void }) {
  const { folders, models, today } = goals.filter;
  if (folders.length === 0 && models.length === 0 && today === "") return null;
  return (
    <p className="flex items-center gap-2 px-3.5 pb-1.5 text-xs text-text-muted" data-testid="filter-note">
      <span className="min-w-0 flex-1 truncate" title={goals.hiddenBy.join(", ")}>
        Only: {goals.hiddenBy.join(", ")}
      </span>
      <Button look="quiet" className="max-[640px]:h-11" data-testid="filter-note-clear" onClick={onClear}>
        Clear filters
      </Button>
    </p>
  );
}
