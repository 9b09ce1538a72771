import { useRef, type MouseEvent } from "react";
import { useApp, useAppState } from "@/store/context";
import { cx } from "@/ui/cx";
import { VirtualRows } from "@/ui/virtualrows";
import { FilterBar } from "./filterbar";
import { FleetStrip } from "./fleetstrip";
import { GroupHead, NoLines } from "./listparts";
import type { ListView, Order } from "./listorder";
import { columnsLook, Row } from "./row";
import { SearchHits } from "./searchhits";
import { SelectionBar } from "./selectionbar";
import { goalsIn, useGoalLines, type GoalLinesProps } from "./uselines";

/** The narrowest window with a table. */
export const tableQuery = "(min-width: 1000px)";

interface Column {
  title: string;
  /** The order in which its header sorts, and whether that begins with the smallest. */
  order: Order;
  ascending: boolean;
  isNumber?: boolean;
}

const columns: readonly Column[] = [
  { title: "Status", order: "needs_you", ascending: true },
  { title: "Objective", order: "name", ascending: true },
  { title: "Checks", order: "checks", ascending: false },
  { title: "Elapsed", order: "elapsed", ascending: false, isNumber: true },
  { title: "Spend", order: "cost", ascending: false, isNumber: true },
  { title: "Folder", order: "folder", ascending: true },
  { title: "Model", order: "model", ascending: true },
];

interface HeaderProps {
  view: ListView;
  onView: (view: ListView) => void;
  /** All goals in the table. */
  goals: readonly string[];
  marked: readonly string[];
}

/** The names of the columns; each one sorts, pressed again the other way around. */
function Header({ view, onView, goals, marked }: HeaderProps) {
  const app = useApp();
  const chosen = new Set(marked);
  const inTable = goals.filter((id) => chosen.has(id)).length;
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={cx(columnsLook, "h-8 shrink-0 border-b border-border pr-4 pl-4 text-xs text-text-muted")}
    >
      <span role="columnheader" className="flex">
        <input
          type="checkbox"
          data-testid="goal-mark-all"
          aria-label="Select all goals in the table"
          title="Select all (Ctrl+A)"
          disabled={goals.length === 0}
          checked={goals.length > 0 && inTable === goals.length}
          ref={(box) => {
            if (box) box.indeterminate = inTable > 0 && inTable < goals.length;
          }}
          onChange={() => app.goals.toggleMarks(goals)}
          className="size-4 accent-(--accent)"
        />
      </span>
      {columns.map(({ title, order, ascending, isNumber }) => {
        const isSorted = view.order === order;
        const rises = ascending !== (isSorted && view.reversed);
        return (
          <span
            key={order}
            role="columnheader"
            aria-sort={isSorted ? (rises ? "ascending" : "descending") : "none"}
            className={cx("min-w-0", isNumber && "text-right")}
          >
            <button
              type="button"
              data-testid={`goal-column-${order}`}
              title={`Sort by ${title.toLowerCase()}`}
              className={cx("max-w-full truncate hover:text-text", isSorted && "font-medium text-text")}
              onClick={() => onView({ ...view, order, reversed: isSorted && !view.reversed })}
            >
              {title}
              {isSorted ? <span aria-hidden>{rises ? " ↑" : " ↓"}</span> : null}
            </button>
          </span>
        );
      })}
      <span aria-hidden className="hidden text-right min-[1250px]:block">
        Activity
      </span>
    </div>
  );
}

/** All goals as a table, one line each. */
export function GoalTable(props: GoalLinesProps) {
  const app = useApp();
  const marked = useAppState((s) => s.marked);
  const loaded = useAppState((s) => s.goals.loaded);
  const { goals } = props;
  const { lines, selected, view, ...list } = useGoalLines(props, { head: 34, card: 31 });
  // From where Shift and a click select: the goal that was clicked last.
  const anchor = useRef("");
  const click = (e: MouseEvent, id: string) => {
    const from = goalsIn(lines).includes(anchor.current) ? anchor.current : selected;
    if (e.shiftKey) app.set({ marked: [...new Set([...marked, ...goalsIn(lines, from || id, id)])] });
    else if (e.ctrlKey || e.metaKey) app.goals.toggleMark(id);
    else app.openGoal(id);
    if (!e.shiftKey) anchor.current = id;
  };
  return (
    <section aria-label="Goals" className="flex min-h-0 flex-1 flex-col">
      {view.strip ? <FleetStrip filter={goals.filter} onFilter={goals.setFilter} /> : null}
      <FilterBar
        field={list.field}
        search={props.search}
        goals={goals}
        view={view}
        onView={list.arrange}
        onClear={list.showAll}
      />
      <div
        role="grid"
        aria-label="Goals"
        aria-multiselectable
        aria-rowcount={lines.length + 1}
        className={cx("flex min-h-0 flex-col", lines.length > 0 && "flex-1")}
      >
        <Header view={view} onView={list.arrange} goals={goalsIn(lines)} marked={marked} />
        <div
          ref={list.scroller}
          role="rowgroup"
          className="min-h-0 flex-1 overflow-y-auto pb-3"
          data-testid="goal-list"
          onKeyDown={(e) => {
            const row = (e.target as HTMLElement).closest<HTMLElement>("button")?.closest<HTMLElement>("[data-goal]");
            if (e.code === "Space" && row?.dataset.goal) {
              e.preventDefault(); // it would press the button, which opens the goal
              app.goals.toggleMark(row.dataset.goal);
              return;
            }
            const line = lines[list.roving.onKeyDown(e) ?? -1];
            if (line?.kind === "card") app.sync.select(line.card.id);
          }}
        >
          <VirtualRows virtual={list.virtual}>
            {(index) => {
              const line = lines[index];
              if (!line) return null;
              if (line.kind === "head") {
                return (
                  <div role="row" aria-rowindex={index + 2}>
                    <div role="gridcell" aria-colspan={columns.length + 1}>
                      <GroupHead
                        head={line}
                        isFolder={view.grouping === "folder"}
                        tab={index === list.stop}
                        onToggle={() => list.toggleGroup(line.id)}
                      />
                    </div>
                  </div>
                );
              }
              const { card } = line;
              return (
                <Row
                  card={card}
                  depth={line.depth}
                  number={index + 2}
                  selected={card.id === selected}
                  marked={marked.includes(card.id)}
                  tab={index === list.stop}
                  onOpen={(e) => click(e, card.id)}
                  onMark={() => {
                    anchor.current = card.id;
                    app.goals.toggleMark(card.id);
                  }}
                />
              );
            }}
          </VirtualRows>
        </div>
      </div>
      <SearchHits search={props.search} />
      {lines.length === 0 ? <NoLines hiddenBy={goals.hiddenBy} loaded={loaded} onShowAll={list.showAll} /> : null}
      <SelectionBar />
    </section>
  );
}
