import { useRef, useState } from "react";
import { useShallow } from "zustand/shallow";
import { attachment } from "@/store/chatactions";
import { useApp, useAppState } from "@/store/context";
import { paneTitle } from "@/store/panes";
import { shownPanes } from "@/store/workspaces";
import { Button } from "@/ui/button";
import { PlusIcon } from "@/ui/icons";
import { Menu, type MenuItem } from "@/ui/menu";
import { FileDialog } from "./filedialog";
import { attachPictures } from "./pictures";

/** What can be attached to the next message: the panes of the open tab, a file of the folder, a picture, the goal. */
export function AttachMenu() {
  const app = useApp();
  const [choosing, setChoosing] = useState(false);
  const pictures = useRef<HTMLInputElement>(null);
  const panes = useAppState(useShallow((s) => shownPanes(s).filter((p) => !p.inspects && p.kind !== "file")));
  const goal = useAppState((s) => s.detail.view);
  const items: MenuItem[] = [
    ...panes.map((p) => {
      const title = paneTitle(p);
      return {
        id: `attach-pane-${p.id}`,
        label: `${p.kind === "terminal" ? "Terminal" : "Page"}: ${title}`,
        run: () => app.chat.attach(attachment({ kind: "pane", title, pane: p.id })),
      };
    }),
    ...(panes.length > 0 ? [null] : []),
    { id: "attach-file", label: "File of the folder…", takesFocus: true, run: () => setChoosing(true) },
    { id: "attach-picture", label: "Picture…", takesFocus: true, run: () => pictures.current?.click() },
    ...(goal
      ? [
          {
            id: "attach-goal",
            label: "The selected goal",
            run: () => app.chat.attach(attachment({ kind: "goal", title: goal.objective, goal_id: goal.id })),
          },
        ]
      : []),
  ];
  return (
    <>
      <Menu items={items} align="start">
        <Button look="quiet" data-testid="chat-attach" className="px-2">
          <PlusIcon size={13} /> Attach
        </Button>
      </Menu>
      <input
        ref={pictures}
        type="file"
        accept="image/*"
        multiple
        hidden
        data-testid="chat-picture-input"
        onChange={(e) => {
          void attachPictures(app, [...(e.target.files ?? [])]);
          e.target.value = "";
        }}
      />
      {choosing ? <FileDialog onClose={() => setChoosing(false)} /> : null}
    </>
  );
}
