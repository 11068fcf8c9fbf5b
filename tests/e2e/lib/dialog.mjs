// The system's own dialog for files, which no WebDriver reaches: driven by keys, as a person would.
import { spawnSync } from "node:child_process";
import { until } from "./webdriver.mjs";

const xdotool = (...words) => spawnSync("xdotool", words, { encoding: "utf8" }).stdout.trim();

/** The visible windows of this screen's programs that have a name like it. */
const windows = (name) => xdotool("search", "--onlyvisible", "--name", name).split("\n").filter(Boolean);

/** Types a full path into the dialog that opened for a file to be read or written, and takes it. */
export async function choosePath(path) {
  const title = "^(Open|Save)( File)?$";
  const [dialog] = await until("the file dialog", () => {
    const found = windows(title);
    return found.length > 0 && found;
  });
  xdotool("windowactivate", "--sync", dialog);
  xdotool("key", "--clearmodifiers", "ctrl+a");
  xdotool("type", "--clearmodifiers", "--delay", "12", path);
  xdotool("key", "Return");
  await until("the file dialog to close", () => windows(title).length === 0);
}
