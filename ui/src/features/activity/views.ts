// The views of the Activity page, in their order. Each has a name in `activity:views` and a path `/activity/VIEW`.

export const views = ["approvals", "running", "usage", "audit", "logs"] as const;
export type View = (typeof views)[number];
