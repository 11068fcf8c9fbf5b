// The sections of a prompt in layers: who it is, how it works, what it remembers, what was said.

import type { ManifestSection } from "@/bindings/ManifestSection";

const layers = ["self", "rules", "tools", "memory", "conversation", "other"] as const;
export type Layer = (typeof layers)[number];

const layerOf: Record<string, Layer> = {
  identity: "self",
  soul: "self",
  identity_file: "self",
  user: "self",
  bootstrap: "self",
  capabilities: "rules",
  safety: "rules",
  guidance: "rules",
  agents: "rules",
  heartbeat: "rules",
  tools: "tools",
  tools_file: "tools",
  skill_index: "tools",
  nearest_skills: "tools",
  active_skill: "tools",
  memory: "memory",
  daily_log: "memory",
  session_state: "memory",
  working_buffer: "memory",
  recalled: "memory",
  summary: "conversation",
  history: "conversation",
  message: "conversation",
  steps: "conversation",
};

export interface LayerSum {
  layer: Layer;
  sections: ManifestSection[];
  tokens: number;
}

/** Layers that have sections, in one order; the sections keep the order of the prompt. */
export function inLayers(sections: readonly ManifestSection[]): LayerSum[] {
  return layers.flatMap((layer) => {
    const members = sections.filter(({ name }) => (layerOf[name] ?? "other") === layer);
    const tokens = members.reduce((sum, section) => sum + section.tokens, 0);
    return members.length > 0 ? [{ layer, sections: members, tokens }] : [];
  });
}
