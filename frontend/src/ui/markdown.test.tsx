import { act } from "@/testing/act";
import { Profiler, useState } from "react";
import { expect, test } from "vitest";
import { all, get, mount, press, until } from "@/testing/mount";
import { Markdown } from "./markdown";

const opened: string[] = [];

async function draw(text: string): Promise<HTMLElement> {
  opened.length = 0;
  await mount(<Markdown text={text} testid="goal-result" onLink={(url) => opened.push(url)} />);
  return get("goal-result");
}

test("Markdown becomes elements", async () => {
  const box = await draw(
    "**Bold** and `code`\n\n- [x] one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx := 1\n```\n",
  );
  expect(box.querySelector("strong")?.textContent).toBe("Bold");
  expect(box.querySelector("p code")?.textContent).toBe("code");
  expect([...box.querySelectorAll("li")].map((l) => l.textContent)).toEqual(["☑ one", "two"]);
  expect([...box.querySelectorAll("td")].map((l) => l.textContent)).toEqual(["1", "2"]);
  expect(box.querySelector("pre")?.textContent).toBe("x := 1");
});

test("tags stay text, pictures are not loaded, and only web addresses open", async () => {
  const box = await draw(
    "<img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<iframe src='https://a.example'></iframe>\n\n" +
      "![a cat](https://cat.example/a.png)\n\n[bad](javascript:alert(1)) [file](file:///etc/passwd) [good](https://example.org/a)\n",
  );
  expect(box.querySelectorAll("img, script, iframe, style, form").length).toBe(0);
  expect(box.textContent).toContain("<img src=x onerror=alert(1)>");
  expect(box.textContent).toContain("[picture: a cat]");
  const links = all("markdown-link") as HTMLAnchorElement[];
  expect(links.map((l) => l.href)).toEqual(["https://cat.example/a.png", "https://example.org/a"]);
  act(() => links[1]?.click());
  expect(opened).toEqual(["https://example.org/a"]);
});

test("what turns a line round is marked", async () => {
  expect((await draw("see \u202Egpj.exe")).textContent).toBe("see ‹U+202E›gpj.exe");
});

test("a text that is too deep is shown as it is", async () => {
  const deep = await draw(`${">".repeat(200)} end`);
  expect(deep.querySelectorAll("blockquote").length).toBeLessThan(20);
  expect(deep.textContent).toContain("end");
});

test("a text that is too long is shown as it is", async () => {
  expect((await draw("**a** ".repeat(40_000))).querySelector("strong")).toBeNull();
});

test("a paragraph that is too long has no emphasis, and the next one has", async () => {
  const paragraph = await draw(`${"**a** ".repeat(2_000)}\n\n**b**`);
  expect([...paragraph.querySelectorAll("strong")].map((s) => s.textContent)).toEqual(["b"]);
});

test("long code is whole, and its button copies it", async () => {
  const code = Array.from({ length: 130 }, (_, i) => `line ${i}`).join("\n");
  const copied: string[] = [];
  await mount(
    <Markdown text={`\`\`\`\n${code}\n\`\`\`\n`} onLink={() => undefined} onCopy={(text) => copied.push(text)} />,
  );
  expect(document.querySelector("pre")?.textContent.trim()).toBe(code);
  await press("copy-code");
  expect(copied).toEqual([code]);
});

test("a text that grows keeps the elements of what came before", async () => {
  const text = "First paragraph.\n\nSecond one.\n\nThird one.\n\n";
  const grow: { by: (more: string) => void } = { by: () => undefined };
  function Growing() {
    const [shown, setShown] = useState(text);
    grow.by = (more) => setShown(shown + more);
    return <Markdown text={shown} testid="goal-result" onLink={() => undefined} />;
  }
  await mount(<Growing />);
  const first = get("goal-result").firstElementChild;
  act(() => grow.by("Fourth **one**."));
  expect(get("goal-result").firstElementChild).toBe(first);
  expect(get("goal-result").querySelector("strong")?.textContent).toBe("one");
});

test("of a long text that grows, only the last part is drawn again, and its elements keep their order", async () => {
  const words = Array.from({ length: 95 }, (_, i) => `Paragraph ${i}.`);
  const grow: { by: (more: string) => void } = { by: () => undefined };
  function Growing() {
    const [shown, setShown] = useState(words.join("\n\n"));
    grow.by = (more) => setShown(shown + more);
    return <Markdown text={shown} testid="goal-result" onLink={() => undefined} />;
  }
  await mount(<Growing />);
  const box = get("goal-result");
  const paragraphs = () => [...box.querySelectorAll("p")];
  expect(paragraphs().map((p) => p.textContent)).toEqual(words);
  const changed = new Set<Node>();
  const watch = new MutationObserver((all) => all.forEach((one) => changed.add(one.target)));
  watch.observe(box, { childList: true, subtree: true, characterData: true });
  const before = paragraphs();
  act(() => grow.by(" More.\n\nThe last."));
  watch.takeRecords().forEach((one) => changed.add(one.target));
  expect(paragraphs().slice(0, 94)).toEqual(before.slice(0, 94));
  expect(
    paragraphs()
      .slice(94)
      .map((p) => p.textContent),
  ).toEqual(["Paragraph 94. More.", "The last."]);
  const last = [...box.querySelectorAll(".markdown-part")].at(-1);
  expect([...changed].every((node) => last?.contains(node))).toBe(true);
});

test("a very long text that grows is drawn once for each piece, at once and not twice", async () => {
  const paragraph = `${"Some words of an answer. ".repeat(20)}\n\n`;
  const grow: { by: (more: string) => void } = { by: () => undefined };
  let draws = 0;
  function Growing() {
    const [shown, setShown] = useState(paragraph.repeat(150)); // 75 kB
    grow.by = (more) => setShown(shown + more);
    return (
      <Profiler id="text" onRender={() => draws++}>
        <Markdown text={shown} testid="goal-result" onLink={() => undefined} />
      </Profiler>
    );
  }
  await mount(<Growing />);
  await until(() => expect(get("goal-result").querySelectorAll("p")).toHaveLength(150));
  draws = 0;
  act(() => grow.by("One more."));
  expect(get("goal-result").querySelectorAll("p")).toHaveLength(151);
  expect(draws).toBe(1);
});
