// The sections of the settings, in their order. Each has a name in `settings:section` and a path `/settings/SECTION`.

export const sections = [
  "models",
  "general",
  "privacy",
  "guard",
  "mcp",
  "budget",
  "storage",
  "transfer",
  "about",
] as const;
export type Section = (typeof sections)[number];
