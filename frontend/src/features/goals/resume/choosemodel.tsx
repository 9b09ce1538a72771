import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Input, Select } from "@/ui/input";

/** Reports whether the goal waits for its model, or stopped because of the model's error. */
export function needsModel(view: GoalView): boolean {
  return view.exit === "parked" || /^(?:Model error|the model): /.test(view.reason);
}

/** Continues the goal with another model, and others for while that is away. */
export function ChooseModel({ view }: { view: GoalView }) {
  const app = useApp();
  const providers = useAppState((s) => s.providers).filter((p) => !p.scripted);
  const [open, setOpen] = useState(false);
  const [provider, setProvider] = useState(view.provider);
  const [model, setModel] = useState("");
  const before = (view.options.fallbacks ?? []).join(", ");
  const [others, setOthers] = useState(before);
  const [busy, setBusy] = useState(false);
  if (!open) {
    return (
      <Button data-testid="model-change" onClick={() => setOpen(true)}>
        Change model…
      </Button>
    );
  }
  const usual = providers.find((p) => p.id === provider)?.model ?? "";
  const name = model.trim();
  const isSame = provider === view.provider && (name || usual) === view.model && others.trim() === before;
  const use = async () => {
    setBusy(true);
    const own = name ? `${provider}/${name}` : provider;
    await app.goals.resume(view.id, { model: [own, others.trim()].filter(Boolean).join(", ") });
    setBusy(false);
  };
  return (
    <div className="flex w-full flex-wrap items-center gap-2">
      <Select
        data-testid="model-provider"
        aria-label="Provider"
        className="w-auto"
        value={provider}
        onChange={(e) => setProvider(e.target.value)}
      >
        {providers.map((p) => (
          <option key={p.id} value={p.id}>
            {p.id}
          </option>
        ))}
      </Select>
      <Input
        data-testid="model-name"
        aria-label="Model"
        className="min-w-40 flex-1 text-xs"
        placeholder={usual}
        value={model}
        onChange={(e) => setModel(e.target.value)}
      />
      <Input
        data-testid="model-others"
        aria-label="Models for while it is away"
        className="min-w-40 flex-1 text-xs"
        placeholder="while it is away: PROVIDER/MODEL, …"
        value={others}
        onChange={(e) => setOthers(e.target.value)}
      />
      <Button look="primary" data-testid="model-use" disabled={busy || isSame} onClick={() => void use()}>
        Continue with it
      </Button>
    </div>
  );
}
