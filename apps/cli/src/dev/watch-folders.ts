import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
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
export function watchFolders(
  folders: readonly string[],
  { ignored, clock, onChange, onError }: WatchOptions,
): Disposable {
  let timer: Timer | undefined;
  const watchers = folders.map((folder): FSWatcher => {
    const watcher = watch(folder, { recursive: true }, (_, name) => {
      const path = join(folder, name ?? "");
      if (isIgnored(path, ignored)) return;
      timer?.[Symbol.dispose]();
      timer = clock.schedule(quietMs, () => onChange(path));
    });
    watcher.on("error", onError);
    return watcher;
  });
  return {
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Reports whether a change of a file does not change the program: packages, hidden files and folders, output of the build, backups of editors. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return (
    ignored.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
    /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/.test(path) ||
    /~$|\.tmp$|\.swp$/.test(path)
  );
}
