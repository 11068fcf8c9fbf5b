import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { reactCompiler } from "./tools/reactCompiler.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Two entry pages: the main window and the quick prompt. Paths are relative, because the desktop shell serves the files itself.
// `--mode mock` builds the same pages on the in-memory bridge, for screenshots; the real build never contains it.
export default defineConfig(({ mode }) => ({
  root: here("."),
  base: "./",
  plugins: [reactCompiler(), react(), tailwindcss()],
  resolve: { alias: { "@": here("./src") } },
  // The standard templates of the persona stand beside this folder.
  server: { port: 1420, strictPort: true, fs: { allow: [here("..")] } },
  build: {
    target: ["es2022", "safari16.4"],
    outDir: mode === "mock" ? "../node_modules/.hearth/ui-mock" : "dist",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: { main: here("./index.html"), quick: here("./quick.html") } },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    testTimeout: 120_000,
    css: false,
  },
}));
