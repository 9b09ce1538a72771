import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { ChevronIcon } from "@/ui/icons";
import { Menu, type MenuItem } from "@/ui/menu";
import { clip } from "@/lib/text";

interface FilterMenuProps {
  /** The test id, and the beginning of those of its entries. */
  id: string;
  title: string;
  /** How many goals each value has with the other filters. */
  counts: ReadonlyMap<string, number>;
  chosen: readonly string[];
  onChoose: (chosen: readonly string[]) => void;
  nameOf: (value: string) => string;
}

/** How many values a menu offers, the most frequent first. */
const maxValues = 100;

/** A menu of values with their numbers of goals. Several can be chosen, and it stays open for that. */
export function FilterMenu({ id, title, counts, chosen, onChoose, nameOf }: FilterMenuProps) {
  const all = [...new Set([...chosen, ...counts.keys()])].sort(
    (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  const offered = all.filter((value, i) => i < maxValues || chosen.includes(value));
  const items: MenuItem[] = offered.map((value) => ({
    id: `${id}-${value}`,
    label: clip(nameOf(value), 60),
    note: String(counts.get(value) ?? 0),
    checked: chosen.includes(value),
    run: () => onChoose(chosen.includes(value) ? chosen.filter((c) => c !== value) : [...chosen, value]),
  }));
  const left = all.length - offered.length;
  if (left > 0) {
    items.push({ id: `${id}-left`, label: `${left} more: search for them`, disabled: true, run: () => undefined });
  }
  const [first = ""] = chosen;
  const value = chosen.length > 1 ? String(chosen.length) : clip(nameOf(first), 24);
  return (
    <Menu items={items} align="start">
      <Button
        data-testid={id}
        disabled={items.length === 0}
        className={cx("h-[30px]", chosen.length > 0 && "border-accent! bg-accent-bg!")}
      >
        {chosen.length > 0 ? `${title}: ${value}` : title}
        <ChevronIcon size={12} className="rotate-90" />
      </Button>
    </Menu>
  );
}
