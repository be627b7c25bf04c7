import { existsSync, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join, sep } from "node:path";
import type { Clock, Timer } from "@homeostat/core";

/** Time during which further changes are awaited: editors write a file in several steps. */
const quietMs = 50;

/** Options of {@link watchFolders}. */
export interface WatchOptions {
  readonly ignored: readonly string[];
  readonly clock: Clock;
  /** Called once for changes that follow each other quickly, with the path of the last one. */
  readonly onChange: (path: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Watches folders with all folders below them until the result is disposed of. */
export function watchFolders(folders: readonly string[], options: WatchOptions): Disposable {
  const tree = new WatchedTree(options);
  for (const folder of folders) tree.add(folder);
  return tree;
}

/**
 * Watches each folder by itself. The recursive watch of Node on Linux watches files, and loses one that is replaced by a rename, as many editors
 * write it.
 */
class WatchedTree implements Disposable {
  readonly #options: WatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Paths of the present burst of changes. */
  readonly #changed = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Watches a folder and those below it. A folder that has vanished meanwhile is left out. */
  add(folder: string): void {
    if (this.#watchers.has(folder) || isIgnored(folder, this.#options.ignored)) return;
    try {
      const watcher = watch(folder, (_, name) => this.#note(folder, name ?? ""));
      this.#watchers.set(folder, watcher);
      watcher.on("error", (error) => {
        this.#remove(folder);
        if (existsSync(folder)) this.#options.onError(error);
      });
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory()) this.add(join(folder, entry.name));
    } catch (error) {
      if (existsSync(folder)) throw error;
      this.#remove(folder);
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    for (const folder of this.#watchers.keys()) this.#remove(folder);
  }

  #note(folder: string, name: string): void {
    const { ignored, clock, onChange, onError } = this.#options;
    const path = join(folder, name);
    if (isIgnored(path, ignored)) return;
    try {
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder) this.add(path);
      else this.#remove(path);
    } catch (error) {
      onError(error);
    }
    // The last path comes last.
    this.#changed.delete(path);
    this.#changed.add(path);
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.schedule(quietMs, () => {
      const paths = [...this.#changed].toReversed();
      this.#changed.clear();
      // Of a file that was written beside its place and renamed, the name that is there counts.
      onChange(paths.find((each) => existsSync(each)) ?? path);
    });
  }

  /** Ends the watch of a folder and of those below it. */
  #remove(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}${sep}`)) continue;
      this.#watchers.delete(path);
      watcher.close();
    }
  }
}

/** Reports whether a change of a file does not change the program: packages, hidden files and folders, output of the build, backups of editors. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return (
    ignored.some((folder) => path === folder || path.startsWith(`${folder}${sep}`)) ||
    /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/.test(path) ||
    /~$|\.tmp$|\.swp$/.test(path)
  );
}
