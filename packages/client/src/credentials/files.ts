import { readFile } from "node:fs/promises";

/** The little of a file system that is needed, so that a test can stand in for it. */
export interface FileReader {
  read(path: string): Promise<string>;
}

/** The real file system. */
export const files: FileReader = { read: (path) => readFile(path, "utf8") };
