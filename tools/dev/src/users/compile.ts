import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../tidy/tree.ts";

/** A version of TypeScript that users have. */
export interface Compiler {
  readonly version: string;
  /** The folder of a package that depends on it. */
  readonly folder: string;
}

/** The versions that the declarations of our packages must compile with. The last one is the one that builds them. */
export const compilers: readonly Compiler[] = [
  { version: "5.9", folder: "tools/compilers/typescript-5.9" },
  { version: "6.0", folder: "tools/compilers/typescript-6" },
  { version: "7.0", folder: "." },
];

/** What a program is compiled from and how. */
export interface Compilation {
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  /** Compiler options that are not those of all users. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a compiler says about a program: its exit code, and its errors. */
export interface Compiled {
  readonly code: number;
  readonly output: string;
}

/** Compiles programs against the built declarations of the packages, without writing anything. */
export async function compile(compiler: Compiler, { files, options }: Compilation): Promise<Compiled> {
  // A folder of the repository: there the packages are found.
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
