// The theme is an attribute of the document; without one the system's preference holds.

export function setTheme(setting: string): void {
  const root = document.documentElement;
  if (setting === "light" || setting === "dark") root.dataset.theme = setting;
  else delete root.dataset.theme;
}
