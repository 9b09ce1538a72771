import { Terminal, type ILink, type ILinkProvider } from "@xterm/xterm";
import { expect, test } from "vitest";
import { fileLines, linkFiles, type FileLine } from "./filelinks";

test("places of files are found in what programs print", () => {
  const found = (text: string) => fileLines(text).map((p) => `${p.name} ${p.line}`);
  expect(found("src/cart.ts:12:5 - error TS2322")).toEqual(["src/cart.ts 12"]);
  expect(found("    at total (/home/ada/shop/cart.js:7:11)")).toEqual(["/home/ada/shop/cart.js 7"]);
  expect(found('  File "/tmp/my shop/cart.py", line 3, in total')).toEqual(["/tmp/my shop/cart.py 3"]);
  expect(found("cart_test.go:9: got 3, ./b.go:2")).toEqual(["cart_test.go 9", "./b.go 2"]);
  expect(found("nothing here")).toEqual([]);
});

test("a file that exists becomes a link, also where the line is wrapped and has wide characters", async () => {
  const term = new Terminal({ allowProposedApi: true, cols: 20, rows: 6 });
  let provider: ILinkProvider | undefined;
  term.registerLinkProvider = (p) => {
    provider = p;
    return { dispose: () => undefined };
  };
  const opened: FileLine[] = [];
  linkFiles(term, {
    find: (_row, names) => Promise.resolve(names.map((name) => (name.endsWith("cart.ts") ? `/shop/${name}` : ""))),
    open: (file) => opened.push(file),
  });
  await new Promise<void>((done) => term.write("日本 other.ts:1 src/cart.ts:12 x\r\n", done));
  const links = await new Promise<ILink[] | undefined>((done) => provider?.provideLinks(2, done));
  expect(links?.map((l) => l.range)).toEqual([{ start: { x: 17, y: 1 }, end: { x: 10, y: 2 } }]);
  links?.[0]?.activate(new MouseEvent("click", { button: 0 }), "");
  expect(opened).toEqual([{ path: "/shop/src/cart.ts", line: 12 }]);
  expect(await new Promise((done) => provider?.provideLinks(3, done))).toBeUndefined();
  term.dispose();
});
