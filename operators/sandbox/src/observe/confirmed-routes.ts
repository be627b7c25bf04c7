// Remembers the last version of a table in which all proxies confirmed the routes of an object.

/** Maximum number of routes that are remembered. The routes of a forgotten object must be confirmed again. */
const routesMax = 20_000;

/**
 * Remembers the routes of objects that all proxies have confirmed. A table changes whenever any sandbox of its Service changes; the routes of the
 * other sandboxes remain in force meanwhile. In memory only: after a restart, the current version must be confirmed.
 */
export class ConfirmedRoutes {
  readonly #confirmed = new Map<string, { readonly hash: string; readonly version: string }>();

  /** Records that all proxies have confirmed routes with this hash in a version of their table. */
  confirm(key: string, hash: string, version: string): void {
    this.#confirmed.delete(key);
    const [oldest] = this.#confirmed.keys();
    if (oldest !== undefined && this.#confirmed.size >= routesMax) this.#confirmed.delete(oldest);
    this.#confirmed.set(key, { hash, version });
  }

  /** Returns the version in which routes were confirmed. Forgets routes that have changed since. */
  version(key: string, hash: string): string | undefined {
    const known = this.#confirmed.get(key);
    if (known === undefined || known.hash === hash) return known?.version;
    this.#confirmed.delete(key);
    return undefined;
  }

  clear(): void {
    this.#confirmed.clear();
  }
}
