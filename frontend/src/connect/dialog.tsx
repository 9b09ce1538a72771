import { useEffect, useState } from "react";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { PresetCards } from "./cards";
import { ConnectForm } from "./form";
import { preselect } from "./presets";

/** Connects a model: first what to connect, then its key or address. */
export function ConnectDialog() {
  const target = useAppState((s) => s.connecting);
  if (!target) return null;
  if ("provider" in target) return <ConnectForm key={target.provider} provider={target.provider} preset="" />;
  if (target.preset === "") return <ChooseDialog />;
  return <ConnectForm key={target.preset} provider="" preset={target.preset} />;
}

function ChooseDialog() {
  const app = useApp();
  const presets = useAppState((s) => s.presets);
  const servers = useAppState((s) => s.foundServers);
  const [chosen, setChosen] = useState("");
  const open = (preset: string) => app.providers.openConnect({ preset });
  const current = chosen || preselect(presets, servers);
  const name = presets.find((p) => p.id === current)?.name;
  useEffect(() => {
    void app.providers.loadOffers();
  }, [app]);
  return (
    <Dialog
      open
      onClose={() => app.providers.closeConnect()}
      title="Connect a model"
      testid="connect-choose"
      help="how-to/connect-a-model"
      description="Choose a provider of models"
      className="w-[760px]"
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={() => app.providers.closeConnect()}>
            Cancel
          </Button>
          <Button look="primary" data-testid="connect-continue" disabled={!current} onClick={() => open(current)}>
            Continue{name ? ` with ${name}` : ""} <Kbd onAccent>Enter</Kbd>
          </Button>
        </>
      }
    >
      <PresetCards chosen={current} onChoose={setChosen} onOpen={open} />
    </Dialog>
  );
}
