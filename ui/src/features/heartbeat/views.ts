// The views of the Heartbeat page, in their order. Each has a name in `heartbeat:views` and a path `/heartbeat/VIEW`.

export const views = ["items", "jobs", "log", "inbox"] as const;
export type View = (typeof views)[number];
