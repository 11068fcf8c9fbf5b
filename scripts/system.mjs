// System packages: which are needed on which system, which are missing, how they are installed.
// Installs by itself only as root on Debian's family, or after a yes at a terminal; elsewhere it says what to do.
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { has, must, read, Stop, told } from "./run.mjs";

const debian = {
  app: ["build-essential", "libwebkit2gtk-4.1-dev", "libayatana-appindicator3-1", "fonts-wqy-microhei"],
  tests: [
    "xvfb", "xauth", "dbus", "webkit2gtk-driver", "gnome-keyring", "python3", "python3-dbus", "python3-gi",
    "python3-pip", "python3-venv", "xdotool", "openbox", "imagemagick", "chromium", "fonts-noto-color-emoji",
  ],
  // A mail server, started by installing it: only where tests run as root. Elsewhere its tests are skipped.
  served: ["dovecot-imapd"],
};

// On the others it is said, not done.
const others = {
  fedora: "sudo dnf install gcc gcc-c++ make pkgconf-pkg-config webkit2gtk4.1-devel libayatana-appindicator-gtk3 wqy-microhei-fonts",
  arch: "sudo pacman -S --needed base-devel pkgconf webkit2gtk-4.1 libayatana-appindicator wqy-microhei",
  suse: "sudo zypper install gcc gcc-c++ make pkg-config webkit2gtk3-devel libayatana-appindicator3-1 wqy-microhei-fonts",
};

// The tray library is loaded at run time and pkg-config does not know it, so its file is looked for.
const trayLibraries = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
const libraryFolders = ["/usr/lib64", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/** `for` is "app" or "tests"; returns when everything is there, else ends with what to install. */
export async function systemPackages(purpose) {
  if (process.platform === "darwin") return macos();
  if (process.platform === "win32") return windows();
  const family = linuxFamily();
  if (family === "debian") return debianPackages(purpose);
  if (linuxLooksReady()) return undefined;
  const known = others[family];
  throw new Stop(
    known
      ? `Hearth needs WebKitGTK 4.1, a tray library and a Chinese font. Install them, then run this again:\n  ${known}`
      : "Hearth needs the development files of WebKitGTK 4.1 (pkg-config name webkit2gtk-4.1), "
        + "libayatana-appindicator3 and a C compiler. Install them with your system's package tool, then run this again.",
  );
}

function linuxFamily() {
  const text = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const words = [...text.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/gm)].flatMap((found) => found[1].split(" "));
  const families = { debian: ["debian", "ubuntu"], fedora: ["fedora", "rhel"], arch: ["arch"], suse: ["suse", "opensuse"] };
  return Object.keys(families).find((name) => families[name].some((word) => words.includes(word)));
}

function linuxLooksReady() {
  const webkit = read("pkg-config", ["--exists", "webkit2gtk-4.1"]) !== null;
  const tray = libraryFolders.some((folder) => trayLibraries.some((name) => existsSync(`${folder}/${name}`)));
  return webkit && tray && has("cc");
}

function missingOnDebian(purpose) {
  const tests = process.getuid() === 0 ? [...debian.tests, ...debian.served] : debian.tests;
  const all = purpose === "tests" ? [...debian.app, ...tests] : debian.app;
  const wanted = all.filter((name) => !(name === "build-essential" && has("cc") && has("make")));
  const listed = read("sh", ["-c", "dpkg-query -W -f='${Package} ${db:Status-Status}\\n' 2>/dev/null || true"]) ?? "";
  const installed = new Set(listed.split("\n").filter((line) => line.endsWith(" installed")).map((line) => line.split(" ")[0]));
  return wanted.filter((name) => !installed.has(name));
}

async function debianPackages(purpose) {
  const missing = missingOnDebian(purpose);
  if (missing.length === 0) return;
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  const root = process.getuid() === 0;
  const byHand = `sudo apt-get update && sudo ${install.join(" ")}`;
  if (!root) await agree(missing, byHand);
  const [program, ...before] = root ? ["env", "DEBIAN_FRONTEND=noninteractive"] : ["sudo", "env", "DEBIAN_FRONTEND=noninteractive"];
  const quiet = ["-qq", "-o", "Dpkg::Use-Pty=0"];
  await told("reading the system's package lists", must(program, [...before, "apt-get", ...quiet, "update"], "apt-get update failed: is the network there?"));
  await told(`installing ${missing.join(" ")}`, must(program, [...before, install[0], ...quiet, ...install.slice(1)], `Could not install them. By hand:\n  ${byHand}`));
}

async function agree(missing, byHand) {
  const what = `Hearth needs these system packages: ${missing.join(" ")}`;
  if (!process.stdin.isTTY || !has("sudo")) throw new Stop(`${what}\nInstall them, then run this again:\n  ${byHand}`);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question(`${what}\nInstall them now with sudo? [Y/n] `);
  lines.close();
  if (!/^(y|yes|)$/i.test(answer.trim())) throw new Stop(`Nothing was installed. By hand:\n  ${byHand}`);
}

function macos() {
  if (read("xcode-select", ["-p"]) === null) {
    throw new Stop("Hearth needs Apple's command line tools. Install them, then run this again:\n  xcode-select --install");
  }
}

function windows() {
  const tools = '"%ProgramFiles(x86)%\\Microsoft Visual Studio\\Installer\\vswhere.exe"';
  const found = read("cmd", ["/d", "/s", "/c", `${tools} -products * -requires Microsoft.VisualStudio.Component.VC.Tools.x86.x64 -property installationPath`]);
  if (!found) {
    throw new Stop(
      "Hearth needs Microsoft's C++ build tools. Install them, then run this again:\n"
        + '  winget install Microsoft.VisualStudio.2022.BuildTools --override "--wait --passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
    );
  }
  const key = "HKLM\\SOFTWARE\\WOW6432Node\\Microsoft\\EdgeUpdate\\Clients\\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}";
  if (read("reg", ["query", key]) === null && read("reg", ["query", key.replace("HKLM", "HKCU").replace("\\WOW6432Node", "")]) === null) {
    throw new Stop("Hearth needs the WebView2 runtime. Install it, then run this again:\n  winget install Microsoft.EdgeWebView2Runtime");
  }
}

/** The tools a build needs on every system. */
export function tools() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Stop(`Hearth's UI needs Node 20.19 or newer; this is ${process.versions.node}. See https://nodejs.org`);
  }
  if (!has("cargo")) throw new Stop("Hearth is written in Rust and cargo is not on the path. Install it from https://rustup.rs");
}
