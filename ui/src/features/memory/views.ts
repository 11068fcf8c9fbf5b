// The views of the Memory page, in their order. Each has a name in `memory:views` and a path `/memory/VIEW`.

export const views = ["timeline", "entries", "search"] as const;
export type View = (typeof views)[number];
