// The project of an operator: its program, the command that compiles it, and the folders to watch.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";
import { isRecord, ownValue, UsageError } from "@homeostat/core";
import type { DevArguments } from "./arguments.ts";

/** A command of the shell, or the file of the TypeScript compiler. */
export type BuildCommand = { readonly shell: string } | { readonly compiler: string };

/** A project whose program can be started. */
export interface DevProject {
  /** Folder in which commands run. */
  readonly folder: string;
  /** JavaScript file that Node starts. */
  readonly program: string;
  /** Undefined if nothing is to be compiled. */
  readonly build: BuildCommand | undefined;
  readonly watched: readonly string[];
  /** Folders below the watched ones that the build writes. */
  readonly ignored: readonly string[];
}

/** Programs that are tried if none is given. */
const usualEntries = ["src/main.ts", "main.ts", "dist/main.js", "main.js"];

/** Finds the program, its compiler and its sources. Throws a {@link UsageError} that says what is missing. */
export async function readProject(
  { entry, build, watch, apply }: Pick<DevArguments, "entry" | "build" | "watch" | "apply">,
  folder: string,
): Promise<DevProject> {
  const found = entry ?? usualEntries.find((path) => existsSync(join(folder, path)));
  if (found === undefined)
    throw new UsageError(
      `homeostat dev finds none of ${usualEntries.join(", ")} here; name the program: homeostat dev FILE.`,
    );
  const source = resolve(folder, found);
  if (!existsSync(source)) throw new UsageError(`${found} does not exist; name the program of the operator.`);
  const shell = build === undefined ? undefined : { shell: build };
  const watched = watch.length === 0 ? [dirname(source)] : watch.map((path) => resolve(folder, path));
  const missing = [...watch.map((path) => ["--watch", path]), ...apply.map((path) => ["--apply", path])]
    .filter(([, path = ""]) => !existsSync(resolve(folder, path)))
    .map((words) => `${words.join(" ")} does not exist`);
  if (missing.length > 0) throw new UsageError(`${missing.join("; ")}.`);
  if (!/^\.[mc]?ts$/.test(extname(source))) return { folder, program: source, build: shell, watched, ignored: [] };
  const compiler = findCompiler(folder, found);
  const { rootDir, outDir } = await readCompilerOptions(compiler, folder);
  const program = join(outDir, relative(rootDir, source)).replace(/ts$/, "js");
  return { folder, program, build: shell ?? { compiler }, watched, ignored: [outDir] };
}

/** Returns the compiler that the project has installed. */
function findCompiler(folder: string, entry: string): string {
  if (!existsSync(join(folder, "tsconfig.json")))
    throw new UsageError(
      `${entry} is TypeScript, but the folder has no tsconfig.json; run the command in the folder of the project.`,
    );
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve("typescript/package.json");
    return join(dirname(manifest), "bin/tsc");
  } catch (error) {
    throw new UsageError(
      `${entry} is TypeScript, but the project has no compiler; run npm install --save-dev typescript.`,
      {
        cause: error,
      },
    );
  }
}

/** Reads the folders of the sources and of the compiled files, as the compiler understands tsconfig.json. */
async function readCompilerOptions(
  compiler: string,
  folder: string,
): Promise<{ readonly rootDir: string; readonly outDir: string }> {
  const text = await new Promise<string>((done, fail) => {
    execFile(process.execPath, [compiler, "--showConfig"], { cwd: folder }, (error, output, errors) => {
      if (error === null) done(output);
      else fail(new UsageError(`tsconfig.json is not valid: ${(output || errors).trim()}`, { cause: error }));
    });
  });
  const config: unknown = JSON.parse(text);
  const options = isRecord(config) ? ownValue(config, "compilerOptions") : undefined;
  const folderOf = (name: string): string | undefined => {
    const value = isRecord(options) ? ownValue(options, name) : undefined;
    return typeof value === "string" ? resolve(folder, value) : undefined;
  };
  const outDir = folderOf("outDir");
  if (outDir === undefined)
    throw new UsageError(
      "tsconfig.json has no outDir, so that compiled files would be beside the sources; set it to dist.",
    );
  return { rootDir: folderOf("rootDir") ?? folder, outDir };
}
