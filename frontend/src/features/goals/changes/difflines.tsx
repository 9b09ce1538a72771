import { useEffect, useMemo, useState } from "react";
import type { FileDiff } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { changedPart, pairLines, parseHunks, type DiffLine, type DiffPair } from "./hunks";
import { withoutWhitespace } from "./whitespace";
import type { Token } from "./highlight";

const maxRows = 2_000;

interface Colours {
  was: Token[][];
  is: Token[][];
}

/** The coloured lines of both sides. Until the library has loaded, the lines have no colours. */
function useColours(diff: FileDiff): Colours | null {
  const [found, setFound] = useState<{ diff: FileDiff; colours: Colours } | null>(null);
  useEffect(() => {
    // An exported file has only the changed lines of a long text: those of the whole would be others.
    if (diff.was === "" && diff.is === "") return;
    let wanted = true;
    void import("./highlight").then(({ highlight }) => {
      if (wanted)
        setFound({ diff, colours: { was: highlight(diff.was, diff.path), is: highlight(diff.is, diff.path) } });
    });
    return () => {
      wanted = false;
    };
  }, [diff]);
  return found?.diff === diff ? found.colours : null;
}

interface DiffLinesProps {
  diff: FileDiff;
  split: boolean;
  /** Whether lines that differ only in white space are shown as changed. */
  whitespace: boolean;
}

/** The changes of a text, in one column or two. */
export function DiffLines({ diff, split, whitespace }: DiffLinesProps) {
  const colours = useColours(diff);
  const rows = useMemo(() => {
    const lines = parseHunks(diff.hunks);
    return pairLines(whitespace ? lines : withoutWhitespace(lines));
  }, [diff.hunks, whitespace]);
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, maxRows);
  return (
    <div data-testid="diff" data-split={split} className="diff-lines font-mono text-xs leading-5">
      {shown.map((row, i) =>
        row.left?.kind === "hunk" ? (
          <div
            key={i}
            data-hunk
            className="border-y border-border bg-surface px-3 text-2xs leading-6 text-text-faint first:border-t-0"
          >
            {`Line ${row.left.is}`}
          </div>
        ) : split ? (
          <SplitRow key={i} row={row} colours={colours} />
        ) : (
          <UnifiedRow key={i} row={row} colours={colours} />
        ),
      )}
      {rows.length === 0 && diff.hunks !== "" ? (
        <p className="p-4 font-sans text-text-faint" data-testid="diff-only-whitespace">
          Only white space changed.
        </p>
      ) : null}
      {rows.length > shown.length ? (
        <div className="p-3">
          <Button data-testid="diff-all" onClick={() => setAll(true)}>
            Show {plural(rows.length - shown.length, "more line")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

interface RowProps {
  row: DiffPair;
  colours: Colours | null;
}

function SplitRow({ row, colours }: RowProps) {
  const part = partOf(row);
  return (
    <div className="grid grid-cols-2">
      <Line line={row.left} side="was" colours={colours} part={part?.was} />
      <Line line={row.right} side="is" colours={colours} part={part?.is} />
    </div>
  );
}

function UnifiedRow({ row, colours }: RowProps) {
  if (row.left === row.right) return <Line line={row.right} side="is" colours={colours} />;
  const part = partOf(row);
  return (
    <>
      {row.left ? <Line line={row.left} side="was" colours={colours} part={part?.was} /> : null}
      {row.right ? <Line line={row.right} side="is" colours={colours} part={part?.is} /> : null}
    </>
  );
}

function partOf({ left, right }: DiffPair) {
  return left && right && left !== right ? changedPart(left.text, right.text) : null;
}

interface LineProps {
  line: DiffLine | null;
  side: "was" | "is";
  colours: Colours | null;
  /** The part of the line that differs from the one beside it. */
  part?: [number, number] | undefined;
}

function Line({ line, side, colours, part }: LineProps) {
  if (!line) return <div className="diff-none min-h-5" aria-hidden />;
  const n = side === "was" ? line.was : line.is;
  const sign = line.kind === "add" ? "+" : line.kind === "del" ? "-" : " ";
  const tokens = colours?.[side][n - 1] ?? [{ text: line.text, kind: "" }];
  return (
    <div
      data-testid="diff-line"
      data-kind={line.kind}
      className={cx("flex min-w-0", line.kind === "add" && "diff-add", line.kind === "del" && "diff-del")}
    >
      <span className="w-11 shrink-0 pr-2 text-right text-text-faint select-none">{n}</span>
      <span className="w-4 shrink-0 text-text-faint">{sign}</span>
      <span className="selectable min-w-0 flex-1 pr-3 break-words whitespace-pre-wrap">
        <Tokens tokens={tokens} part={part} />
      </span>
    </div>
  );
}

/** Coloured text, with a mark on the part that differs. */
function Tokens({ tokens, part }: { tokens: readonly Token[]; part: [number, number] | undefined }) {
  let at = 0;
  return tokens.map((t, i) => {
    const from = at;
    at += t.text.length;
    const cut = (n: number) => Math.min(Math.max(n - from, 0), t.text.length);
    const [a, b] = part ? [cut(part[0]), cut(part[1])] : [0, 0];
    return (
      <span key={i} className={t.kind ? `code-${t.kind}` : undefined}>
        {stripControl(t.text.slice(0, a))}
        {b > a ? <mark>{stripControl(t.text.slice(a, b))}</mark> : null}
        {stripControl(t.text.slice(Math.max(a, b)))}
      </span>
    );
  });
}
