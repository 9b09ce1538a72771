import type { Token, Tokens } from "marked";
import { createContext, Fragment, memo, useContext, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { headingAnchor } from "@/lib/helppages";
import { stripControl } from "@/lib/text";
import { IconButton } from "./button";
import { cx } from "./cx";
import { CopyIcon } from "./icons";
import { MarkdownBlocks, type MarkdownBlock } from "./markdownblocks";
import "./markdown.css";

/** Lists and quotes nested deeper are shown as plain text. */
const maxDepth = 12;
/** The rest of a text that is longer when it is first shown is rendered after the keys that the user presses. */
const maxUrgent = 60_000;
/** Blocks after the first ones are drawn in parts of this size, of which only the last changes while a text grows. */
const blocksAtOnce = 40;
/** Lines of code that are one element: what is added to long code does not lay out its beginning again. */
const linesAtOnce = 60;

interface Links {
  /** Called with the http or https address that the user clicked. Other addresses, and all without it, are text. */
  onLink?: (url: string) => void;
  /** Called with a relative address. Without it, relative addresses are shown as text. */
  innerLink?: (href: string) => (() => void) | undefined;
  /** Copies a block of code. Without it, blocks have no button. */
  onCopy?: (text: string) => void;
}

const LinksContext = createContext<Links>({});

interface MarkdownProps extends Links {
  text: string;
  className?: string;
  testid?: string;
}

/**
 * A model's text as Markdown. It becomes elements, never HTML: tags are shown as text, pictures as their
 * description, and nothing is loaded from the network. A text that grows is rendered only from its last blocks on.
 */
export function Markdown({ text, className, testid, onLink, innerLink, onCopy }: MarkdownProps) {
  const [reader] = useState(() => new MarkdownBlocks());
  const isWhole = useDeferredValue(true, text.length <= maxUrgent);
  const shown = isWhole ? text : text.slice(0, maxUrgent);
  const blocks = useMemo(() => reader.of(shown), [reader, shown]);
  const links = useMemo<Links>(
    () => ({ ...(onLink ? { onLink } : {}), ...(innerLink ? { innerLink } : {}), ...(onCopy ? { onCopy } : {}) }),
    [onLink, innerLink, onCopy],
  );
  return (
    <div data-testid={testid} className={cx("markdown selectable min-w-0 break-words", className)}>
      <LinksContext value={links}>
        <TopBlocks blocks={blocks.slice(0, blocksAtOnce)} />
        {partsOf(blocks).map((part, i) => (
          <div key={i} className="markdown-part">
            <TopBlocks blocks={part} />
          </div>
        ))}
      </LinksContext>
    </div>
  );
}

function partsOf(blocks: readonly MarkdownBlock[]): MarkdownBlock[][] {
  const count = Math.max(0, Math.ceil(blocks.length / blocksAtOnce) - 1);
  return Array.from({ length: count }, (_, i) => blocks.slice((i + 1) * blocksAtOnce, (i + 2) * blocksAtOnce));
}

interface TopBlocksProps {
  blocks: readonly MarkdownBlock[];
}

const TopBlocks = memo(
  function TopBlocks({ blocks }: TopBlocksProps) {
    return blocks.map((block) => <TopBlock key={block.at} block={block} />);
  },
  ({ blocks: a }, { blocks: b }) => a.length === b.length && a.every((block, i) => block === b[i]),
);

const TopBlock = memo(function TopBlock({ block }: { block: MarkdownBlock }) {
  if (block.token) return <Block token={block.token} depth={0} />;
  return <p className="whitespace-pre-wrap">{stripControl(block.raw)}</p>;
});

interface NodesProps {
  tokens: Token[];
  depth: number;
}

function Blocks({ tokens, depth }: NodesProps) {
  return tokens.map((token, i) => (
    <Fragment key={i}>{depth > maxDepth ? stripControl(token.raw) : <Block token={token} depth={depth} />}</Fragment>
  ));
}

interface NodeProps {
  token: Token;
  depth: number;
}

function Block({ token, depth }: NodeProps) {
  const inside = (tokens: Token[] | undefined) => <Inlines tokens={tokens ?? []} depth={depth + 1} />;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading":
      return <Heading heading={token as Tokens.Heading}>{inside(token.tokens)}</Heading>;
    case "paragraph":
      return <p>{inside(token.tokens)}</p>;
    case "text":
      return <>{token.tokens ? inside(token.tokens) : stripControl((token as Tokens.Text).text)}</>;
    case "code":
      return <Code text={(token as Tokens.Code).text} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens ?? []} depth={depth + 1} />
        </blockquote>
      );
    case "list":
      return <List list={token as Tokens.List} depth={depth} />;
    case "table":
      return <Table table={token as Tokens.Table} inside={inside} />;
    default:
      return <p className="whitespace-pre-wrap">{stripControl(token.raw.trimEnd())}</p>;
  }
}

function Code({ text }: { text: string }) {
  const { onCopy } = useContext(LinksContext);
  const lines = text.split("\n");
  const parts = Array.from({ length: Math.ceil(lines.length / linesAtOnce) }, (_, i) =>
    lines.slice(i * linesAtOnce, (i + 1) * linesAtOnce).join("\n"),
  );
  const code = (
    <pre tabIndex={0} aria-label="Code">
      <code>{parts.length > 1 ? parts.map((part, i) => <CodePart key={i} text={part} />) : stripControl(text)}</code>
    </pre>
  );
  if (!onCopy) return code;
  return (
    <div className="markdown-code">
      {code}
      <IconButton label="Copy the code" data-testid="copy-code" onClick={() => onCopy(text)}>
        <CopyIcon size={13} />
      </IconButton>
    </div>
  );
}

/** Its line end is there for those who copy: an element that is a block has none. */
const CodePart = memo(function CodePart({ text }: { text: string }) {
  return <span className="markdown-code-part">{`${stripControl(text)}\n`}</span>;
});

/** The window has its own headings, so headings of the text are not part of its outline. */
function Heading({ heading, children }: { heading: Tokens.Heading; children: ReactNode }) {
  return (
    <p className="markdown-heading" data-depth={heading.depth} data-anchor={headingAnchor(heading.text)}>
      {children}
    </p>
  );
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, i) => (
    <li key={i} className={item.task ? "markdown-task" : undefined}>
      {item.task ? <span aria-label={item.checked ? "done" : "to do"}>{item.checked ? "☑ " : "☐ "}</span> : null}
      <Blocks tokens={item.tokens.filter((t) => t.type !== "checkbox")} depth={depth + 1} />
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={typeof list.start === "number" ? list.start : 1}>{items}</ol>;
}

function Table({ table, inside }: { table: Tokens.Table; inside: (tokens: Token[]) => ReactNode }) {
  return (
    <div className="sideways" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i}>{inside(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, k) => (
                <td key={k}>{inside(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ tokens, depth }: NodesProps) {
  return tokens.map((token, i) => (
    <Fragment key={i}>{depth > maxDepth ? stripControl(token.raw) : <Inline token={token} depth={depth} />}</Fragment>
  ));
}

function Inline({ token, depth }: NodeProps) {
  const inside = <Inlines tokens={("tokens" in token && token.tokens) || []} depth={depth + 1} />;
  switch (token.type) {
    case "strong":
      return <strong>{inside}</strong>;
    case "em":
      return <em>{inside}</em>;
    case "del":
      return <del>{inside}</del>;
    case "br":
      return <br />;
    case "codespan":
      return <code>{stripControl((token as Tokens.Codespan).text)}</code>;
    case "link":
      return (
        <Link href={(token as Tokens.Link).href} words={(token as Tokens.Link).text}>
          {inside}
        </Link>
      );
    case "image":
      return <ImageNote image={token as Tokens.Image} />;
    case "escape":
      return stripControl((token as Tokens.Escape).text);
    case "text":
      return token.tokens ? inside : stripControl((token as Tokens.Text).text);
    default:
      return stripControl(token.raw);
  }
}

/** Returns an http or https address, or `""`: nothing else may be opened. */
function webAddress(href: string): string {
  try {
    const url = new URL(href);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : "";
  } catch {
    return "";
  }
}

interface LinkProps {
  href: string;
  /** What is shown of it, as text. */
  words: string;
  children: ReactNode;
}

function Link({ href, words, children }: LinkProps) {
  const { onLink, innerLink } = useContext(LinksContext);
  const url = webAddress(href);
  const follow = url ? onLink && (() => onLink(url)) : innerLink?.(href);
  if (!follow) {
    return (
      <>
        {children}
        {url && words !== href ? ` (${stripControl(url)})` : null}
      </>
    );
  }
  return (
    <a
      href={url || href}
      rel="noreferrer"
      title={stripControl(url || href)}
      data-testid="markdown-link"
      onClick={(e) => {
        e.preventDefault();
        follow();
      }}
      onAuxClick={(e) => e.preventDefault()}
    >
      {children}
    </a>
  );
}

/** Pictures are not loaded: the request would show the server that the user reads the text. */
function ImageNote({ image }: { image: Tokens.Image }) {
  const words = stripControl(image.text || image.href);
  return (
    <Link href={image.href} words={words}>
      [picture: {words}]
    </Link>
  );
}
