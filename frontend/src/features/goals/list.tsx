import { useApp, useAppState } from "@/store/context";
import { cx } from "@/ui/cx";
import { VirtualRows } from "@/ui/virtualrows";
import { Card } from "./card";
import { FilterNote } from "./filterbar";
import { GroupHead, ListViewFields, NoLines, SearchField } from "./listparts";
import { Overviews } from "./overviews";
import { SearchHits } from "./searchhits";
import { SelectionBar } from "./selectionbar";
import { useGoalLines, type GoalLinesProps } from "./uselines";

/** The goals as cards, beside an open goal or on a phone. */
export function GoalList({ className, ...props }: GoalLinesProps & { className?: string | undefined }) {
  const app = useApp();
  const marked = useAppState((s) => s.marked);
  const loaded = useAppState((s) => s.goals.loaded);
  const { lines, selected, view, ...list } = useGoalLines(props, { head: 34, card: 64 });
  return (
    <nav
      aria-label="Goals"
      className={cx("flex min-h-0 flex-col border-r border-border max-[640px]:border-r-0", className)}
    >
      <SearchField
        field={list.field}
        text={props.search.text}
        onText={props.search.setText}
        className="mx-3.5 mt-2.5 mb-1.5"
      />
      <div className="flex shrink-0 items-center gap-1.5 px-3.5 pb-1.5">
        <ListViewFields view={view} onView={list.arrange} className="min-w-0 flex-1" />
        <Overviews />
      </div>
      <FilterNote goals={props.goals} onClear={list.showAll} />
      <div
        ref={list.scroller}
        className="min-h-0 flex-1 overflow-y-auto pb-3"
        data-testid="goal-list"
        onKeyDown={(e) => {
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
                <GroupHead
                  head={line}
                  isFolder={view.grouping === "folder"}
                  tab={index === list.stop}
                  onToggle={() => list.toggleGroup(line.id)}
                />
              );
            }
            return (
              <Card
                card={line.card}
                selected={line.card.id === selected}
                tab={index === list.stop}
                onSelect={() => app.openGoal(line.card.id)}
                marked={marked.includes(line.card.id)}
                onMark={() => app.goals.toggleMark(line.card.id)}
              />
            );
          }}
        </VirtualRows>
        {lines.length === 0 ? (
          <NoLines hiddenBy={props.goals.hiddenBy} loaded={loaded} onShowAll={list.showAll} />
        ) : null}
      </div>
      <SearchHits search={props.search} />
      <SelectionBar />
    </nav>
  );
}
