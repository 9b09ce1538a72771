import type { FigureRow, Figures } from "@/bridge/types";

const row = (model: string, counts: readonly number[]): FigureRow => {
  const [goals = 0, ends = 0, done = 0, not_done = 0, gave_up = 0, limited = 0, aborted = 0, failed = 0] = counts;
  const [asks = 0, warned = 0, right = 0, usd = 0] = counts.slice(8);
  return { model, goals, ends, done, not_done, gave_up, limited, aborted, failed, asks, warned, right, usd };
};

/** How well a user's goals worked, after some weeks. */
export const figures: Figures = {
  all: row("", [50, 60, 46, 2, 9, 3, 1, 1, 75, 10, 7, 39.6]),
  models: [
    row("qwen3-coder", [40, 47, 35, 2, 8, 3, 1, 0, 61, 8, 6, 11.4]),
    row("claude-sonnet", [8, 11, 10, 0, 1, 0, 0, 0, 12, 2, 1, 27.9]),
    row("=1+1,x", [2, 2, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0.3]),
  ],
};

export const noFigures: Figures = { all: row("", []), models: [] };
