import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../tidy/tree.ts";

/** A supported TypeScript version. */
export interface Compiler {
  readonly version: string;
  /** Folder of a package that depends on this version. */
  readonly folder: string;
}

/** TypeScript versions that the declarations of our packages must compile with. The last one builds the repository. */
export const compilers: readonly Compiler[] = [
  { version: "5.9", folder: "tools/compilers/typescript-5.9" },
  { version: "6.0", folder: "tools/compilers/typescript-6" },
  { version: "7.0", folder: "." },
];

/** Input of a compilation. */
export interface Compilation {
  /** Paths relative to the root of the repository. */
  readonly files: readonly string[];
  /** Compiler options in addition to the common ones. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Result of a compilation: exit code and printed errors. */
export interface Compiled {
  readonly code: number;
  readonly output: string;
}

/** Type-checks programs against the built declarations of the packages, without emitting files. */
export async function compile(compiler: Compiler, { files, options }: Compilation): Promise<Compiled> {
  // Inside the repository, so that module resolution finds the packages.
  const folder = await mkdtemp(join(root, "examples", "dist", "compile-"));
  const project = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: "es2022",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
    allowImportingTsExtensions: true,
    ...options,
  };
  try {
    await writeFile(project, JSON.stringify({ compilerOptions, files: files.map((file) => join(root, file)) }));
    return await run(await programOf(compiler), ["--project", project, "--pretty", "false"]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function programOf({ folder, version }: Compiler): Promise<string> {
  const manifest = createRequire(join(root, folder, "package.json")).resolve("typescript/package.json");
  const { version: installed }: { version: string } = JSON.parse(await readFile(manifest, "utf8"));
  if (!installed.startsWith(`${version}.`)) throw new Error(`${folder} has TypeScript ${installed}, not ${version}`);
  return join(manifest, "..", "bin", "tsc");
}

function run(program: string, args: readonly string[]): Promise<Compiled> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout }),
    );
  });
}
