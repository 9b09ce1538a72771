import type { Virtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";

interface VirtualRowsProps {
  virtual: Virtualizer<HTMLDivElement, Element>;
  /** Draws the row of an index. */
  children: (index: number) => ReactNode;
}

/** The visible rows of a long list, each at its position. */
export function VirtualRows({ virtual, children }: VirtualRowsProps) {
  return (
    <div className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => (
        <div
          key={item.key}
          ref={virtual.measureElement}
          data-index={item.index}
          className="absolute top-0 left-0 w-full"
          style={{ transform: `translateY(${item.start}px)` }}
        >
          {children(item.index)}
        </div>
      ))}
    </div>
  );
}
