import type { SourceFile } from "./tree.ts";

/** Returns the folders that the map of a README must list: those directly below `src`, and those of the package beside `src`. */
export function mappedFolders(packageFolder: string, paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    if (!path.startsWith(`${packageFolder}/`)) continue;
    const [first = "", second = "", ...rest] = path.slice(packageFolder.length + 1).split("/");
    if (first === "src" && rest.length > 0) folders.add(`src/${second}/`);
    else if (first !== "src" && second !== "") folders.add(`${first}/`);
  }
  return [...folders].sort();
}

/** Returns the paths in the first cells of a page's maps, in their order. Pages without a map return none. */
export function listedFolders(page: string): string[] {
  const listed: string[] = [];
  let isMap = false;
  for (const line of page.replaceAll(/```[\s\S]*?```/g, "").split("\n")) {
    const cell = /^\|([^|]*)\|/.exec(line)?.[1]?.trim();
    if (cell === undefined) isMap = false;
    else if (cell === "folder") isMap = true;
    else if (isMap) listed.push(...[...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""));
  }
  return listed;
}

/** Returns the differences between the map in a README and the folders of its package, as messages. */
export function mapProblems(packageFolder: string, { path, text }: SourceFile, paths: readonly string[]): string[] {
  const expected = mappedFolders(packageFolder, paths);
  const listed = listedFolders(text);
  const exists = (folder: string): boolean => paths.some((each) => each.startsWith(`${packageFolder}/${folder}`));
  return [
    ...expected.filter((folder) => !listed.includes(folder)).map((folder) => `${path} does not list ${folder}`),
    ...listed.flatMap((folder, index) => {
      if (!folder.endsWith("/")) return [`${path} lists ${folder}; write folders with a slash at the end`];
      if (listed.indexOf(folder) < index) return [`${path} lists ${folder} twice`];
      return exists(folder) ? [] : [`${path} lists ${folder}, which does not exist`];
    }),
  ];
}
