import { useCallback, useEffect, useState } from "react";
import type { PaneInfo, Site, SiteCertificate, SitePermission } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon, GlobeIcon, LockIcon, WarnIcon } from "@/ui/icons";
import { Select } from "@/ui/input";
import { Popover } from "./popover";

const transportLabels: Record<Site["came"], string> = {
  proven: "The connection is encrypted, and the host's identity is verified.",
  unproven: "The connection is encrypted, but the host's identity could not be verified.",
  open: "The connection is not encrypted: others can read and change what is sent.",
  here: "The page comes from this machine.",
  none: "This page does not belong to a site.",
};

const permissionNames: Record<string, string> = {
  geolocation: "Location",
  notifications: "Notifications",
  camera: "Camera",
  microphone: "Microphone",
  "clipboard-read": "Read your clipboard",
};

const permissionStates = [
  ["ask", "Ask"],
  ["allow", "Allow"],
  ["block", "Block"],
] as const;

/** The connection of an address at a glance; the certificate is loaded with the panel. */
export function SiteIcon({ url }: { url: string }) {
  if (url.startsWith("https:")) return <LockIcon size={12} />;
  const here = /^http:\/\/(localhost|[^/]*\.localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/.test(url);
  return url.startsWith("http:") && !here ? <WarnIcon size={12} className="text-warn" /> : <GlobeIcon size={12} />;
}

/** The site of a page: its connection, its permissions, and its stored data. */
export function SitePanel({ pane, onClose }: { pane: PaneInfo; onClose: () => void }) {
  const app = useApp();
  const [site, setSite] = useState<Site | null>(null);
  const [cleared, setCleared] = useState(false);
  const load = useCallback(async () => setSite((await app.ask("BrowserAPI.Site", pane.id)) ?? null), [app, pane.id]);
  useEffect(() => {
    setCleared(false);
    void load();
  }, [load, pane.url]);

  const permit = async (name: string, state: SitePermission["state"]) => {
    await app.ask("BrowserAPI.SetPermission", pane.id, site?.origin ?? "", name, state);
    await load();
  };
  const clear = () =>
    app.confirm({
      title: `Clear the data of ${site?.origin ?? "the site"}?`,
      text: "This deletes its cookies and other data in this profile, and logs you out.",
      yes: "Clear data",
      danger: true,
      run: async () => {
        if (!(await app.ask("BrowserAPI.ClearSite", pane.id, site?.origin ?? ""))) return;
        setCleared(true);
        await load();
      },
    });
  const reload = () => {
    onClose();
    void app.ask("BrowserAPI.Reload", pane.id);
  };

  return (
    <Popover
      data-testid="site"
      data-came={site?.came ?? ""}
      className="appear flex min-h-0 w-80 flex-col gap-2 self-start overflow-y-auto p-3 text-xs"
      onClose={onClose}
    >
      <header className="flex items-center gap-2">
        <b className="selectable min-w-0 flex-1 break-words" data-testid="site-origin">
          {site?.origin || "This page"}
        </b>
        <IconButton autoFocus label="Close" data-testid="site-close" onClick={onClose}>
          <CloseIcon size={12} />
        </IconButton>
      </header>
      {site ? (
        <p className={site.came === "proven" || site.came === "here" ? "" : "text-warn"}>
          {transportLabels[site.came]}
        </p>
      ) : null}
      {site?.certificate ? <Certificate of={site.certificate} /> : null}
      {site?.user_agent ? (
        <p className="flex items-center gap-2 border-t border-border pt-2">
          <span className="selectable min-w-0 flex-1 break-words" data-testid="site-agent">
            User agent: {site.user_agent}
          </span>
          <Button look="quiet" data-testid="site-agent-change" onClick={() => app.openSettings("User agent")}>
            Change…
          </Button>
        </p>
      ) : null}
      {site?.permissions?.length ? <Permissions list={site.permissions} onPermit={permit} /> : null}
      {site?.origin ? <Cookies count={site.cookies} cleared={cleared} onClear={clear} onReload={reload} /> : null}
    </Popover>
  );
}

interface PermissionsProps {
  list: SitePermission[];
  onPermit: (name: string, state: SitePermission["state"]) => Promise<void>;
}

function Permissions({ list, onPermit }: PermissionsProps) {
  return (
    <section className="flex flex-col gap-1 border-t border-border pt-2">
      <h3 className="text-2xs font-semibold text-text-faint uppercase">Permissions (until the browser closes)</h3>
      {list.map(({ name, state }) => (
        <label key={name} className="flex h-7 items-center gap-2">
          <span className="min-w-0 flex-1 truncate">{permissionNames[name] ?? name}</span>
          <Select
            data-testid="site-permission"
            data-name={name}
            className="h-6 px-1"
            value={state}
            onChange={(e) => void onPermit(name, e.target.value as SitePermission["state"])}
          >
            {permissionStates.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </label>
      ))}
    </section>
  );
}

interface CookiesProps {
  count: number;
  cleared: boolean;
  onClear: () => void;
  onReload: () => void;
}

function Cookies({ count, cleared, onClear, onReload }: CookiesProps) {
  return (
    <section className="flex items-center gap-2 border-t border-border pt-2">
      <span className="min-w-0 flex-1" data-testid="site-cookies" data-count={count} role="status">
        {count === 1 ? "1 cookie" : `${count} cookies`}
        {cleared ? ". Data cleared. Reload the page to apply." : ""}
      </span>
      {cleared ? (
        <Button data-testid="site-reload" onClick={onReload}>
          Reload
        </Button>
      ) : (
        <Button look="danger" data-testid="site-clear" onClick={onClear}>
          Clear data
        </Button>
      )}
    </section>
  );
}

function Certificate({ of }: { of: SiteCertificate }) {
  const day = (at: string) => new Date(at).toLocaleDateString();
  const lines = [
    ["Issued to", of.subject],
    ["Issued by", of.issuer],
    ["Valid", `${day(of.from)} – ${day(of.to)}`],
    ["Protocol", of.protocol],
    ["Error", of.fault],
  ].filter(([, text]) => text);
  return (
    <dl data-testid="site-certificate" className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-text-muted">
      {lines.map(([name, text]) => (
        <div key={name} className="contents">
          <dt className="text-text-faint">{name}</dt>
          <dd className="selectable min-w-0 break-words">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
