// The React Compiler as a step of the build. Not by @rolldown/plugin-babel: every version of it wants Node 22.
import { transformAsync } from "@babel/core";
import type { Plugin } from "vite";

/** Only what can hold a component or a hook is worth parsing. */
const mayCompile = /forwardRef|memo|\b(?:[A-Z]|use[A-Z0-9])/;

export function reactCompiler(): Plugin {
  return {
    name: "hearth:react-compiler",
    enforce: "pre",
    transform: {
      filter: { id: { include: /\.[jt]sx?$/, exclude: /\/node_modules\// }, code: mayCompile },
      async handler(code, id) {
        const done = await transformAsync(code, {
          filename: id,
          babelrc: false,
          configFile: false,
          sourceMaps: true,
          // Types and JSX are left in place for the steps after this one.
          parserOpts: { plugins: ["typescript", "jsx"] },
          plugins: ["babel-plugin-react-compiler"],
        });
        return done?.code == null ? null : { code: done.code, map: done.map };
      },
    },
  };
}
