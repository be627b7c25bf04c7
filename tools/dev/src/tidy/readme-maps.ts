import type { SourceFile } from "./tree.ts";

/** Returns the folders that the map of a README must list: those directly below `src`, and those of the package beside `src`. */
export function mappedFolders(packageFolder: string, paths: readonly string[]): string[] {
  return foldersIn(`${packageFolder}/`, paths).flatMap((folder) =>
    folder === "src/" ? foldersIn(`${packageFolder}/src/`, paths).map((inner) => `src/${inner}`) : [folder],
  );
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
  const listed = listedFolders(text);
  const isListed = (folder: string): boolean => listed.includes(folder);
  // A map may list all folders inside a folder instead of the folder itself.
  const expected = mappedFolders(packageFolder, paths).flatMap((folder) =>
    !isListed(folder) && listed.some((each) => each.startsWith(folder))
      ? foldersIn(`${packageFolder}/${folder}`, paths).map((inner) => folder + inner)
      : [folder],
  );
  const exists = (folder: string): boolean => paths.some((each) => each.startsWith(`${packageFolder}/${folder}`));
  return [
    ...expected.filter((folder) => !isListed(folder)).map((folder) => `${path} does not list ${folder}`),
    ...listed.flatMap((folder, index) => {
      if (!folder.endsWith("/")) return [`${path} lists ${folder}; write folders with a slash at the end`];
      if (listed.indexOf(folder) < index) return [`${path} lists ${folder} twice`];
      return exists(folder) ? [] : [`${path} lists ${folder}, which does not exist`];
    }),
  ];
}

/** Returns the folders directly below a folder, each with a slash at the end. `prefix` is the path of the folder with a slash. */
function foldersIn(prefix: string, paths: readonly string[]): string[] {
  const below = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length).split("/"));
  return [...new Set(below.filter((steps) => steps.length > 1).map(([first = ""]) => `${first}/`))].sort();
}
