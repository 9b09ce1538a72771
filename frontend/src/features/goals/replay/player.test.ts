import { beforeEach, expect, test } from "vitest";
import { Player, type Screen } from "./player";

let now: number;
let run: (() => void) | null;
const ticks = {
  now: () => now,
  next: (f: () => void) => {
    run = f;
    return () => {
      run = null;
    };
  },
};

/** Lets the clock advance, with one frame at the end. */
function pass(ms: number) {
  now += ms;
  const f = run;
  run = null;
  f?.();
}

class FakeScreen implements Screen {
  busy = false;
  shown: number[] = [];
  at: number[] = [];
  show(ms: number) {
    this.shown.push(ms);
  }
  next(ms: number) {
    return this.at.find((n) => n > ms) ?? null;
  }
  close() {
    this.shown = [];
  }
}

let screen: FakeScreen;
let player: Player;

beforeEach(() => {
  now = 0;
  run = null;
  screen = new FakeScreen();
  player = new Player(ticks, 60_000);
  player.set({ skips: false });
  player.use(screen);
});

test("it plays at its speed, shows every moment, and stops at the end", () => {
  player.play();
  pass(100);
  expect(screen.shown.at(-1)).toBe(100);
  player.set({ speed: 8 });
  pass(1_000);
  expect(player.state.ms).toBe(8_100);
  pass(10_000);
  expect(player.state).toMatchObject({ ms: 60_000, playing: false });
  expect(run).toBeNull();
  player.play();
  expect(player.state).toMatchObject({ ms: 0, playing: true });
});

test("the clock stands while something is fetched", () => {
  player.play();
  screen.busy = true;
  pass(5_000);
  expect(player.state.ms).toBe(0);
  screen.busy = false;
  pass(16);
  expect(player.state.ms).toBe(16);
});

test("a wait is cut short before what is seen next on the screen, or the next step", () => {
  screen.at = [30_000];
  player.set({ skips: true });
  player.play();
  pass(16);
  expect(player.state.ms).toBe(29_600);
  player.setLength(60_000, (ms) => (ms < 20_000 ? 20_000 : null));
  player.seek(1_000);
  pass(16);
  expect(player.state.ms).toBe(19_600);
  pass(16);
  expect(player.state.ms).toBe(19_616);
});

test("pausing stands still, jumps stay inside, and a new screen shows the moment at once", () => {
  player.play();
  player.toggle();
  expect(run).toBeNull();
  player.by(-5_000);
  expect(player.state.ms).toBe(0);
  player.seek(99_000);
  expect(player.state.ms).toBe(60_000);
  const other = new FakeScreen();
  player.use(other);
  expect(other.shown).toEqual([60_000]);
});

test("a summary shows its moments one after the other, within ten seconds, and stops at the last", () => {
  const moments = Array.from({ length: 20 }, (_, i) => i * 3_000);
  player.playSummary(moments);
  expect(screen.shown.at(-1)).toBe(0);
  for (let i = 0; i < 20; i++) pass(500);
  expect([...new Set(screen.shown)]).toEqual(moments);
  expect(player.state).toMatchObject({ ms: 57_000, playing: false, summary: false });
});

test("a summary of few moments takes a second for each, waits for data, and ends when the user seeks", () => {
  player.playSummary([10_000, 20_000, 60_000]);
  pass(900);
  expect(player.state.ms).toBe(10_000);
  screen.busy = true;
  pass(5_000);
  expect(player.state.ms).toBe(10_000);
  screen.busy = false;
  pass(200);
  expect(player.state).toMatchObject({ ms: 20_000, summary: true });
  player.seek(5_000);
  expect(player.state).toMatchObject({ ms: 5_000, playing: false, summary: false });
  pass(5_000);
  expect(player.state.ms).toBe(5_000);
});
