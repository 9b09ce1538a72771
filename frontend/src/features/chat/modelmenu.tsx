import type { Provider } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { ChevronIcon } from "@/ui/icons";
import { Menu, type MenuItem } from "@/ui/menu";

/** The model of the shown chat, with what it has cost and how full its window is. */
export function ModelMenu() {
  const app = useApp();
  const providers = useAppState((s) => s.providers);
  const chat = useAppState((s) => s.chat.chat);
  const wanted = useAppState((s) => s.chatDraft.model);
  const usual = providers.find((p) => p.active);
  const setting = useAppState((s) => s.settings?.chat_model ?? "");
  const modelOf = (name: string) => name.split("/").slice(1).join("/");
  const name = chat?.model || modelOf(wanted) || modelOf(setting) || usual?.model || usual?.id || "";
  if (!name) return null;
  const choose = (p: Provider) => void app.chat.choose(p.id, p.model);
  const items: MenuItem[] = [
    ...providers.map((p) => ({
      id: `chat-model-${p.id}`,
      label: p.model ? `${p.model} · ${p.id}` : p.id,
      ...(p.ready || p.scripted ? {} : { hint: p.note || "not tested" }),
      run: () => choose(p),
    })),
    null,
    {
      id: "chat-model-connect",
      label: "Connect another model…",
      takesFocus: true,
      run: () => app.providers.openConnect({ preset: "" }),
    },
  ];
  return (
    <>
      <Menu items={items} align="start">
        <Button look="quiet" data-testid="chat-model" className="min-w-0 shrink" title="Model of this chat">
          <span className="truncate">{name}</span> <ChevronIcon size={11} className="shrink-0 rotate-90" />
        </Button>
      </Menu>
      {chat && chat.spent.tokens_in > 0 ? (
        <span
          data-testid="chat-cost"
          className="shrink-0 text-2xs text-text-faint tabular-nums"
          title={
            `This chat: ${count(chat.spent.tokens_in)} tokens read, ${count(chat.spent.tokens_out)} written` +
            (chat.window > 0 ? `. Its newest turn: ${count(chat.window_used)} of ${count(chat.window)} tokens` : "")
          }
        >
          {chat.window > 0 && chat.window_used > 0
            ? `${Math.min(100, Math.round((100 * chat.window_used) / chat.window))} % full · `
            : ""}
          {chat.spent.usd > 0 ? money(chat.spent.usd) : `${count(chat.spent.tokens_in + chat.spent.tokens_out)} tokens`}
        </span>
      ) : null}
    </>
  );
}
