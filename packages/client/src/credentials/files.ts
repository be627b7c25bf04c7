import { readFile } from "node:fs/promises";

/** Reads files. Tests replace it. */
export interface FileReader {
  read(path: string): Promise<string>;
}

/** The real file system. */
export const files: FileReader = { read: (path) => readFile(path, "utf8") };
