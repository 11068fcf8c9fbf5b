// The desktop shell: commands and one channel over Tauri's IPC.

import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open, save } from "@tauri-apps/plugin-dialog";
import { openUrl } from "@tauri-apps/plugin-opener";
import type { Numbered, Shell } from "./commands";

export const tauri: Shell = {
  call: (command, args) => invoke(command, args),

  async subscribe(hear) {
    const channel = new Channel<Numbered>();
    channel.onmessage = hear;
    await invoke("signals_subscribe", { channel });
  },

  onDrop: (hear) =>
    getCurrentWebview().onDragDropEvent(({ payload }) => {
      if (payload.type === "drop") hear({ over: false, paths: payload.paths });
      else hear({ over: payload.type !== "leave", paths: [] });
    }),

  openUrl,

  async pickFiles({ multiple, extensions, folder = false }) {
    const filters = extensions ? [{ name: extensions.join(", "), extensions }] : [];
    const picked = await open({ multiple, filters, directory: folder });
    if (picked === null) return [];
    return Array.isArray(picked) ? picked : [picked];
  },

  pickPlace: (name) => save({ defaultPath: name }),
};
