import type { RefObject } from "react";
import { money } from "@/lib/bytes";
import { Button, Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { ChevronIcon, SearchIcon } from "@/ui/icons";
import { groupings, orders, type Grouping, type HeadLine, type ListView, type Order } from "./listorder";

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
        title="Searches objectives, results and folders, and what goals said and did"
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

interface GroupHeadProps {
  head: HeadLine;
  isFolder: boolean;
  /** Whether this row is the list's Tab stop. */
  tab: boolean;
  onToggle: () => void;
}

/** The head of a group, which folds its goals away. */
export function GroupHead({ head, isFolder, tab, onToggle }: GroupHeadProps) {
  return (
    <Caption as="h2" className={cx("px-2.5 pt-2", isFolder && "font-mono tracking-normal normal-case")}>
      <button
        type="button"
        data-testid="goal-group"
        data-group={head.id}
        aria-expanded={!head.isClosed}
        tabIndex={tab ? 0 : -1}
        title={isFolder ? head.id : undefined}
        onClick={onToggle}
        className="flex h-[26px] w-full items-center gap-1.5 rounded-sm pr-1.5 text-left [text-transform:inherit] hover:text-text max-[640px]:h-11"
      >
        <ChevronIcon size={12} className={cx("shrink-0", !head.isClosed && "rotate-90")} />
        <span className="truncate">{head.title}</span>
        <span className="font-medium tabular-nums">{head.count}</span>
        {isFolder && head.usd > 0 ? <span className="ml-auto font-sans font-normal">{money(head.usd)}</span> : null}
      </button>
    </Caption>
  );
}

interface NoLinesProps {
  /** Names what hides goals. */
  hiddenBy: readonly string[];
  loaded: boolean;
  onShowAll: () => void;
}

/** Says why no goal is in the list. */
export function NoLines({ hiddenBy, loaded, onShowAll }: NoLinesProps) {
  const isFiltered = hiddenBy.length > 0;
  return (
    <div className="px-4 py-6 text-text-faint" role="status" data-testid="goal-list-empty">
      {isFiltered ? "No goal matches." : loaded ? "No goals yet." : "Loading goals…"}
      {isFiltered ? (
        <>
          <p className="mt-1 text-xs break-words">Shown are only goals with: {hiddenBy.join(", ")}.</p>
          <Button className="mt-2 flex max-[640px]:h-11" data-testid="goal-filter-clear" onClick={onShowAll}>
            Clear filters
          </Button>
        </>
      ) : null}
    </div>
  );
}
