//! What a file of the workspace is to the guard, and to other programs.

use unicode_normalization::UnicodeNormalization;

/// What a file of the workspace is to the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Told to the model as its own rules: persona files, HEARTBEAT.md, skills.
    Instruction,
    /// Told to the model as what it knows: MEMORY.md, logs, state.
    Memory,
    /// Read by other programs as what to run: `.git`, editors' and tools' settings.
    Machinery,
    /// Anything else.
    Ordinary,
}

/// Files whose text the model is given as its rules.
const INSTRUCTIONS: &[&str] =
    &["soul.md", "agents.md", "identity.md", "user.md", "tools.md", "bootstrap.md", "heartbeat.md"];

/// What a path within the workspace is; spellings that some system takes for it count.
#[must_use]
pub fn part_of(relative: &str) -> Part {
    let folded: String = relative.replace('\\', "/").nfkc().collect::<String>().to_lowercase();
    let parts: Vec<&str> = folded
        .split('/')
        .map(|part| part.trim_matches([' ', '.']))
        .zip(folded.split('/'))
        .filter(|(_, raw)| !matches!(*raw, "" | "."))
        .map(|(trimmed, _)| trimmed)
        .collect();
    let Some(first) = parts.first().copied() else { return Part::Ordinary };
    if parts.len() == 1 && INSTRUCTIONS.contains(&first) {
        return Part::Instruction;
    }
    // `.agents/skills` without its dot; a SKILL.md makes a skill wherever it lies.
    if matches!(first, "skills" | "agents") || parts.last() == Some(&"skill.md") {
        return Part::Instruction;
    }
    if matches!(first, "memory" | "memory.md" | "session-state.md" | "learnings") {
        return Part::Memory;
    }
    let machinery = [
        "git",
        "hg",
        "svn",
        "husky",
        "github",
        "gitlab",
        "vscode",
        "idea",
        "devcontainer",
        "envrc",
        "npmrc",
        "cargo",
        "direnv",
        "pre-commit-config.yaml",
        "gitattributes",
        "gitmodules",
        "gitconfig",
        "bashrc",
        "profile",
        "bash_profile",
        "zshrc",
        "ssh",
    ];
    let raw = folded.split('/').filter(|part| part.starts_with('.'));
    let hidden = raw.map(|part| part.trim_matches([' ', '.']));
    let is_repository = |part: &&str| part.ends_with(".git") || REPOSITORY.contains(part);
    if hidden.into_iter().any(|part| machinery.contains(&part)) || parts.iter().any(is_repository) {
        return Part::Machinery;
    }
    Part::Ordinary
}

/// Without one of these, git takes no folder for a repository, whatever else lies there.
const REPOSITORY: &[&str] = &["head", "commondir", "gitdir", "packed-refs", "config.worktree"];

/// Files that other programs run, by their ending or their name.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "ksh", "csh", "nu", "ps1", "psm1", "psd1", "bat", "cmd", "vbs", "vbe", "wsf",
    "wsh", "jse", "hta", "py", "pyw", "pyc", "pth", "rb", "pl", "pm", "js", "mjs", "cjs", "ts", "mts", "cts",
    "jsx", "tsx", "lua", "php", "tcl", "awk", "el", "vim", "r", "jl", "groovy", "gradle", "kts", "scala", "clj",
    "exs", "cmake", "mk", "mak", "nix", "just", "sbt", "desktop", "lnk", "url", "webloc", "inetloc", "reg",
    "inf", "scf", "msc", "cpl", "service", "timer", "socket", "plist", "command", "tool", "workflow",
    "scpt", "applescript", "terminal", "jar", "war", "exe", "com", "scr", "msi", "dll", "so", "dylib", "app",
    "apk", "deb", "rpm", "appimage", "run", "crontab", "code-workspace", "docm", "xlsm", "pptm", "xll", "iqy",
    "slk", "chm", "gemspec", "podspec", "tf", "ipynb",
];
#[rustfmt::skip]
const RECIPES: &[&str] = &[
    "makefile", "gnumakefile", "bsdmakefile", "justfile", "package.json", "package-lock.json", "cargo.toml",
    "build.rs", "dockerfile", "containerfile", "gemfile", "rakefile", "guardfile", "brewfile", "podfile",
    "vagrantfile", "jenkinsfile", "procfile", "tiltfile", "earthfile", "fastfile", "setup.cfg",
    "pyproject.toml", "tox.ini", "pytest.ini", "pipfile", "requirements.txt", "cmakelists.txt", "meson.build",
    "sconstruct", "wscript", "build.xml", "pom.xml", "build", "build.bazel", "workspace.bazel", "deno.json",
    "deno.jsonc", "composer.json", "mix.exs", "go.mod", "flake.nix", "taskfile.yml", "taskfile.yaml",
    "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "claude.md", "claude.local.md",
    "gemini.md", "agents.md", "copilot-instructions.md", "crontab", "autorun.inf", "desktop.ini",
    "config.fish", "tsconfig.json", "lefthook.yml", "azure-pipelines.yml", "cloudbuild.yaml",
];
/// Folders whose files are run or obeyed.
const FOLDERS: &[&str] = &["hooks", "githooks", "autostart", "cron.d", "init.d", "__pycache__"];
/// Hidden files that only say what to leave alone.
const QUIET: &[&str] =
    &[".gitignore", ".dockerignore", ".ignore", ".npmignore", ".gitkeep", ".keep"];

/// Whether other programs run or obey what a file says: scripts, recipes, and whatever hides its name, since
/// start files and settings of shells, editors and assistants do. Endings that some system overlooks count.
#[must_use]
pub fn is_run_by_others(path: &str) -> bool {
    let folded: String = path.replace('\\', "/").nfkc().collect::<String>().to_lowercase();
    let parts: Vec<&str> =
        folded.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let Some((last, folders)) = parts.split_last() else { return false };
    // Windows drops dots and spaces at the end; a stream's name follows a colon.
    let name = last.split(':').next().unwrap_or_default().trim().trim_end_matches(['.', ' ']);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending.trim());
    let is_hidden = |part: &&str| part.starts_with('.');
    RECIPES.contains(&name)
        || SCRIPTS.contains(&ending)
        || name.starts_with("makefile.")
        || name.starts_with("dockerfile.")
        || (name.starts_with('.') || name.starts_with('_') && name.ends_with("rc"))
            && !QUIET.contains(&name)
        || folders.iter().any(is_hidden)
        || folders.iter().any(|part| FOLDERS.contains(part))
}
