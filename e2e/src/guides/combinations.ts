/** Versions and tools that a user may have. */
export interface Combination {
  readonly typescript: string;
  readonly resolution: "nodenext" | "bundler";
  readonly packageManager: "npm" | "pnpm";
  /** A release of Node; undefined for the one that runs the tests. */
  readonly node: string | undefined;
}

const typescripts = ["5.9.3", "6.0.3", "7.0.2"];
const nodes = [undefined, "22.23.3", "24.21.0"];

/** A sample with every value of every dimension. The first one needs no changes to the commands of a guide. */
const sample: readonly Combination[] = [
  { typescript: "7.0.2", resolution: "nodenext", packageManager: "npm", node: undefined },
  { typescript: "6.0.3", resolution: "bundler", packageManager: "pnpm", node: "24.21.0" },
  { typescript: "5.9.3", resolution: "bundler", packageManager: "npm", node: "22.23.3" },
];

/** Returns the combinations to test: a sample, or all of them with `--full`. */
export function combinations(isFull: boolean): readonly Combination[] {
  if (!isFull) return sample;
  return typescripts.flatMap((typescript) =>
    nodes.flatMap((node) =>
      (["nodenext", "bundler"] as const).flatMap((resolution) =>
        (["npm", "pnpm"] as const).map((packageManager) => ({ typescript, node, resolution, packageManager })),
      ),
    ),
  );
}

/** Returns the title of a combination: `TypeScript 6.0.3, bundler, pnpm, Node 24.21.0`. */
export function titleOf({ typescript, resolution, packageManager, node }: Combination): string {
  return `TypeScript ${typescript}, ${resolution}, ${packageManager}, Node ${node ?? process.versions.node}`;
}

/** Changes the commands of a guide as it tells users of other tools to. */
export function adapted(commands: string, { typescript, resolution, packageManager }: Combination): string {
  const install = packageManager === "pnpm" ? "pnpm add" : "npm install";
  return commands
    .replaceAll("npm install", install)
    .replace(" typescript ", ` typescript@${typescript} `)
    .replace(
      '"module": "nodenext"',
      resolution === "bundler" ? '"module": "esnext", "moduleResolution": "bundler"' : '"module": "nodenext"',
    );
}
