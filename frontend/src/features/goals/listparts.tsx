import type { RefObject } from "react";
import { money } from "@/lib/bytes";
import { Button, Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { SearchIcon } from "@/ui/icons";
import { groupings, orders, type Grouping, type ListLine, type ListView, type Order } from "./listorder";

interface SearchFieldProps {
  field: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
  className?: string;
}

export function SearchField({ field, text, onText, className }: SearchFieldProps) {
  return (
    <div className={cx("relative shrink-0", className)}>
      <SearchIcon size={14} className="absolute top-2 left-2.5 text-text-faint" />
      <input
        ref={field}
        data-testid="goal-search"
        aria-label="Search goals"
        placeholder="Search goals"
        title="Searches objectives, results and folders"
        className={cx(
          "h-[30px] w-full rounded-md border border-transparent bg-surface-hover pr-8 pl-8 text-sm",
          "outline-none focus:border-accent focus:bg-bg",
        )}
        value={text}
        onChange={(e) => onText(e.target.value)}
        onKeyDown={(e) => {
          if (e.code !== "Escape") return;
          e.stopPropagation();
          onText("");
          e.currentTarget.blur();
        }}
      />
      <Kbd className="absolute top-1.5 right-1.5">/</Kbd>
    </div>
  );
}

interface ListViewFieldsProps {
  view: ListView;
  onView: (view: ListView) => void;
  className?: string;
}

/** The menus for grouping and sorting. */
export function ListViewFields({ view, onView, className }: ListViewFieldsProps) {
  const look = "field h-[30px] min-w-0 flex-1 py-0 text-xs";
  return (
    <div className={cx("flex shrink-0 flex-wrap gap-1.5", className)}>
      <select
        data-testid="goal-grouping"
        aria-label="Group goals"
        className={look}
        value={view.grouping}
        onChange={(e) => onView({ ...view, grouping: e.target.value as Grouping })}
      >
        {Object.entries(groupings).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <select
        data-testid="goal-order"
        aria-label="Sort goals"
        className={look}
        value={view.order}
        onChange={(e) => onView({ ...view, order: e.target.value as Order, reversed: false })}
      >
        {Object.entries(orders).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function GroupHead({ head, isFolder }: { head: Extract<ListLine, { kind: "head" }>; isFolder: boolean }) {
  return (
    <Caption
      as="h2"
      className={cx("flex items-baseline gap-1 px-4 pt-3 pb-1.5", isFolder && "font-mono tracking-normal normal-case")}
    >
      <span className="truncate" title={isFolder ? head.id : undefined} data-testid="goal-group">
        {head.title}
      </span>
      <span className="ml-1 font-medium">{head.count}</span>
      {isFolder && head.usd > 0 ? <span className="ml-auto font-sans font-normal">{money(head.usd)}</span> : null}
    </Caption>
  );
}

interface NoLinesProps {
  isFiltered: boolean;
  loaded: boolean;
  onShowAll: () => void;
}

/** Says why no goal is in the list. */
export function NoLines({ isFiltered, loaded, onShowAll }: NoLinesProps) {
  return (
    <div className="px-4 py-6 text-text-faint" role="status" data-testid="goal-list-empty">
      {isFiltered ? "No goal matches." : loaded ? "No goals yet." : "Loading goals…"}
      {isFiltered ? (
        <Button className="mt-2 flex" data-testid="goal-filter-clear" onClick={onShowAll}>
          Clear filters
        </Button>
      ) : null}
    </div>
  );
}
