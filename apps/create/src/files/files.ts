import type { Project } from "../project.ts";
import { buildFiles } from "./build-files.ts";
import { readme } from "./readme.ts";
import { sourceFiles } from "./source-files.ts";

/** A generated file. */
export interface ProjectFile {
  readonly path: string;
  /** One line for the README. */
  readonly purpose: string;
  readonly text: string;
}

/** Returns the files of a project: text by path. */
export function filesOf(project: Project): ReadonlyMap<string, string> {
  const files = [...sourceFiles(project), ...buildFiles(project)];
  return new Map([...files.map(({ path, text }) => [path, text] as const), ["README.md", readme(project, files)]]);
}
