import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { all, get, mount } from "@/testing/mount";
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
