// A desktop session of its own for one program: bus, unlocked keyring, throw-away home, and a screen if asked for.
// The person's own keyring, home and windows are never touched. Run by hand:
//   node scripts/session.mjs [--no-screen] PROGRAM ARGS…
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { binary, testModels } from "./places.mjs";
import { main, run } from "./run.mjs";

// The line feed is the keyring's (empty) password.
const unlock = `printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1`;
// Without a window manager nothing takes the focus.
const windowManager = "openbox >/dev/null 2>&1 &";

/** Runs a program inside; returns what `run` returns. Elsewhere than on Linux it runs as it is. */
export async function inSession(program, args, { screen = true, env = {}, ...options } = {}) {
  const shared = { HEARTH_APP: binary("hearth-desktop"), HEARTH_BIN: binary("hearth"), HEARTH_TEST_MODELS: testModels };
  if (process.platform !== "linux") return run(program, args, { ...options, env: { ...shared, ...env } });
  const home = mkdtempSync(join(tmpdir(), "hearth-session-"));
  const runtime = join(home, "run");
  mkdirSync(runtime, { mode: 0o700 });
  const body = `${unlock}; ${screen ? windowManager : ""} exec "$@"`;
  const display = screen ? ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24 -nolisten tcp"] : [];
  const whole = ["--", ...display, "sh", "-c", body, "session", program, ...args];
  try {
    return await run("dbus-run-session", whole, { ...options, env: { ...shared, ...ownHome(home, runtime), ...env } });
  } finally {
    await remove(home);
  }
}

/** The session's programs end a moment after it, and until then they may still write. */
async function remove(folder, tries = 20) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) return console.error(`${folder} stays behind: ${error.message}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return remove(folder, tries - 1);
  }
  return undefined;
}

/** A home of its own for everything but the toolchains, which are only read. */
function ownHome(home, runtime) {
  const toolchains = { CARGO_HOME: ".cargo", RUSTUP_HOME: ".rustup", PYENV_ROOT: ".pyenv" };
  const kept = Object.entries(toolchains)
    .map(([name, folder]) => [name, process.env[name] ?? join(homedir(), folder)])
    .filter(([, path]) => existsSync(path));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: undefined,
    XDG_DATA_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    XDG_STATE_HOME: undefined,
    DBUS_SESSION_BUS_ADDRESS: undefined,
    WAYLAND_DISPLAY: undefined,
    DISPLAY: undefined,
    HEARTH_HOME: undefined,
    NO_AT_BRIDGE: "1",
    GDK_BACKEND: "x11",
    LIBGL_ALWAYS_SOFTWARE: "1",
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async (args) => {
    const screen = args[0] !== "--no-screen";
    const [program, ...rest] = screen ? args : args.slice(1);
    return (await inSession(program, rest, { screen })).status;
  });
}
