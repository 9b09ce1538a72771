import { useEffect, useState } from "react";
import type { ModelView, Provider } from "@/bridge/types";
import { useApp } from "@/store/context";

export interface KnownModel {
  /** PROVIDER/MODEL */
  name: string;
  note: string;
}

/** The models that the connected providers list, the model of each provider first. */
export function useModels(providers: readonly Provider[]): readonly KnownModel[] {
  const app = useApp();
  const [lists, setLists] = useState<Readonly<Record<string, readonly ModelView[]>>>({});
  const ids = providers.map((p) => p.id).join("\n");
  useEffect(() => {
    let isStale = false;
    const { providers: all } = app.state;
    for (const p of all.filter((one) => !one.scripted)) {
      app.bridge
        .call("ModelAPI.Models", p.id)
        .then((list) => !isStale && setLists((old) => ({ ...old, [p.id]: list ?? [] })))
        .catch(() => undefined); // its own model stays in the list
    }
    return () => {
      isStale = true;
    };
  }, [app, ids]);
  return providers.flatMap((p) => {
    if (p.scripted) return [{ name: p.id, note: "scripted, no AI" }];
    const own = p.model ? [{ name: `${p.id}/${p.model}`, note: p.active ? "default" : "" }] : [];
    const listed = (lists[p.id] ?? []).filter((m) => m.id !== p.model && !m.other);
    return [...own, ...listed.map((m) => ({ name: `${p.id}/${m.id}`, note: describe(m) }))];
  });
}

function describe(m: ModelView): string {
  const window = m.context_window > 0 ? `${Math.round(m.context_window / 1_000)} k` : "";
  const price = m.free ? "free" : m.input_price > 0 ? `$${m.input_price} in, $${m.output_price} out` : "";
  return [window, price].filter(Boolean).join(" · ");
}
