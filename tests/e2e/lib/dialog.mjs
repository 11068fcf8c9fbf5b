// The system's own dialog for files, which no WebDriver reaches: driven by keys, as a person would.
import { spawnSync } from "node:child_process";
import { until } from "./webdriver.mjs";

const xdotool = (...words) => spawnSync("xdotool", words, { encoding: "utf8" }).stdout.trim();

/** The visible windows of this screen's programs that have a name like it. */
const windows = (name) => xdotool("search", "--onlyvisible", "--name", name).split("\n").filter(Boolean);

/** Types a full path into the dialog that opened for a file to be read (`Open`) or written (`Save`), and takes it. */
export async function choosePath(kind, path) {
  const title = `^${kind}( File)?$`;
  const [dialog] = await until("the file dialog", () => {
    const found = windows(title);
    return found.length > 0 && found;
  });
  // It takes keys a moment later than it shows, so what is lost is typed again.
  await until("the file dialog to take the path", async () => {
    xdotool("windowactivate", "--sync", dialog);
    // Where a file is to be read, its list has the focus; this shows the field for a path.
    if (kind === "Open") xdotool("key", "--clearmodifiers", "ctrl+l");
    xdotool("key", "--clearmodifiers", "ctrl+a");
    xdotool("type", "--clearmodifiers", "--delay", "12", path);
    xdotool("key", "Return");
    return closed(title);
  }, 60_000);
}

const closed = (title) =>
  until("the file dialog to close", () => windows(title).length === 0, 2_000).catch(() => false);
