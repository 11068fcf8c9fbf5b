#!/usr/bin/env node
// Stands in for a C compiler or archiver of a system that this machine has no tools for: writes an empty file
// where its result would be. Enough for `cargo check`, which links nothing (see systems.mjs).
import { existsSync, writeFileSync } from "node:fs";

const args = process.argv.slice(2);
const at = args.indexOf("-o");
const archive = args.find((arg) => arg.endsWith(".a"));
const result = at >= 0 ? args[at + 1] : archive;
if (result && !existsSync(result)) writeFileSync(result, "");
