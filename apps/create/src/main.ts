import { readFileSync } from "node:fs";
import { isRecord } from "@homeostat/core";
import { createCommand } from "./create-command.ts";

const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());
process.once("SIGTERM", () => stopping.abort());

const own: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

process.exitCode = await createCommand(process.argv.slice(2), {
  program: "npm create homeostat",
  version: isRecord(own) ? String(own["version"]) : "",
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  signal: stopping.signal,
});
