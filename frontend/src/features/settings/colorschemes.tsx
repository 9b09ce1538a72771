import { useRef, useState } from "react";
import type { ColorScheme, Problem, Settings } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Select } from "@/ui/input";
import { isLightTerminal } from "@/ui/terminal";
import { rowWords } from "./places";
import { Row } from "./rows";

interface ColorSchemesProps {
  settings: Settings;
  save: (part: Partial<Settings>) => Promise<Problem | null>;
}

/** Which color scheme terminals have, and the import of more. */
export function ColorSchemes({ settings, save }: ColorSchemesProps) {
  const app = useApp();
  const schemes = useAppState((s) => s.colorSchemes);
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const chosen = schemes.find((s) => s.name === settings.color_scheme);
  const importFile = async (chosen: File) => {
    const out = await app.settings.importColorScheme(chosen);
    setProblem("code" in out ? out : null);
    if (!("code" in out)) void save({ color_scheme: out.name });
  };
  const error = problem ? (
    <span data-testid="error-color-scheme" role="alert" className="selectable text-bad">
      {problem.message} <span className="text-text-muted">· {problem.hint}</span>
    </span>
  ) : undefined;
  return (
    <>
      <Row {...rowWords("Terminal colors")} error={error}>
        {chosen ? <Preview scheme={chosen} /> : null}
        <SchemeSelect
          testid="color-scheme"
          label="Terminal colors"
          none="As the theme"
          value={settings.color_scheme}
          onChange={(color_scheme) => void save({ color_scheme })}
        />
        <input
          ref={file}
          type="file"
          hidden
          accept=".itermcolors,.yaml,.yml"
          data-testid="color-scheme-file"
          onChange={(e) => {
            const first = e.target.files?.[0];
            if (first) void importFile(first);
            e.target.value = "";
          }}
        />
        <Button
          data-testid="color-scheme-import"
          title="An .itermcolors file of iTerm2, or a base16 or base24 scheme in YAML"
          onClick={() => file.current?.click()}
        >
          Import…
        </Button>
      </Row>
      {schemes
        .filter((s) => s.imported)
        .map((s) => (
          <div
            key={s.name}
            data-testid="imported-scheme"
            className="flex items-center gap-4 border-b border-border py-1.5 pr-4 pl-8"
          >
            <span className="min-w-0 flex-1 truncate text-xs text-text-muted">{s.name}</span>
            <Preview scheme={s} />
            <Button
              aria-label={`Remove the color scheme ${s.name}`}
              data-testid="color-scheme-remove"
              onClick={() => app.settings.deleteColorScheme(s.name)}
            >
              Remove
            </Button>
          </div>
        ))}
    </>
  );
}

interface SchemeSelectProps {
  testid: string;
  label: string;
  /** The entry for `""`. */
  none: string;
  value: string;
  onChange: (name: string) => void;
}

/** A list of all color schemes, in groups. */
export function SchemeSelect({ testid, label, none, value, onChange }: SchemeSelectProps) {
  const schemes = useAppState((s) => s.colorSchemes);
  const groups: [string, ColorScheme[]][] = [
    ["Dark", schemes.filter((s) => !s.imported && !isLightTerminal(s))],
    ["Light", schemes.filter((s) => !s.imported && isLightTerminal(s))],
    ["Imported", schemes.filter((s) => s.imported)],
  ];
  return (
    <Select
      className="w-44"
      data-testid={testid}
      aria-label={label}
      value={value}
      onChange={(e) => onChange(e.target.value)}
    >
      <option value="">{none}</option>
      {groups
        .filter(([, list]) => list.length > 0)
        .map(([group, list]) => (
          <optgroup key={group} label={group}>
            {list.map((s) => (
              <option key={s.name} value={s.name}>
                {s.name}
              </option>
            ))}
          </optgroup>
        ))}
    </Select>
  );
}

/** How text looks in a scheme. */
function Preview({ scheme }: { scheme: ColorScheme }) {
  return (
    <span
      aria-hidden
      className="flex items-center gap-1 rounded-sm border border-border px-2 py-1 font-mono text-2xs"
      style={{ background: scheme.background, color: scheme.foreground }}
    >
      Aa
      {scheme.colors?.slice(1, 7).map((color, i) => (
        <span key={`${i}${color}`} className="size-2 rounded-full" style={{ background: color }} />
      ))}
    </span>
  );
}
