interface HighlightedProps {
  text: string;
  /** What is marked, in lower case. */
  words: readonly string[];
}

/** A text in which the words that were searched are marked. */
export function Highlighted({ text, words }: HighlightedProps) {
  if (words.length === 0) return text;
  const escaped = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Of several groups in a pattern, split returns every second part as a match.
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "i"));
  return parts.map((part, i) =>
    i % 2 === 1 ? (
      <mark key={i} className="rounded-xs bg-accent-bg text-accent">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
