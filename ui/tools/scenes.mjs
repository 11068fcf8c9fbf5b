// What the screenshots show: a page, a state of the in-memory world, and what is done there first.

/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {string} [page] Entry page; the main window without it.
 * @property {string} [path]
 * @property {string} [world] Scene of the in-memory world.
 * @property {{ width: number, height: number }} [size]
 * @property {(page: import("playwright-core").Page, language: string) => Promise<unknown>} [act]
 */

/** @type {readonly Scene[]} */
export const scenes = [{ name: "chat", path: "/chat/assistant:main" }];
