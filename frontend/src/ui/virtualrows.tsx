import { defaultRangeExtractor, type Range, type Virtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";

interface VirtualRowsProps {
  virtual: Virtualizer<HTMLDivElement, Element>;
  /** The last row grows where it is: it is always drawn (see `withLast`), and never measured. */
  isLastInFlow?: boolean;
  /** Draws the row of an index. */
  children: (index: number) => ReactNode;
}

/** The visible rows of a long list, each at its position. */
export function VirtualRows({ virtual, isLastInFlow = false, children }: VirtualRowsProps) {
  const items = virtual.getVirtualItems();
  const last = isLastInFlow ? items.at(-1) : undefined;
  const size = last
    ? { paddingTop: last.start, paddingBottom: virtual.options.paddingEnd }
    : { height: virtual.getTotalSize() };
  return (
    <div className="relative" style={size}>
      {items.map((item) =>
        item === last ? (
          <div key={item.key} data-index={item.index}>
            {children(item.index)}
          </div>
        ) : (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {children(item.index)}
          </div>
        ),
      )}
    </div>
  );
}

/** The rows of a list whose last row is always drawn. */
export function withLast(range: Range): number[] {
  const rows = defaultRangeExtractor(range);
  return rows.at(-1) === range.count - 1 ? rows : [...rows, range.count - 1];
}
