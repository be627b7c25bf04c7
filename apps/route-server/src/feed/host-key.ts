/** Returns the key of a preview host: `namespace/@host`. No Service has such a name, so tables and hosts share one order of changes. */
export function hostKeyOf({ namespace, host }: { readonly namespace: string; readonly host: string }): string {
  return `${namespace}/@${host}`;
}

/** Reports whether a key is that of a preview host. */
export function isHostKey(key: string): boolean {
  return key.includes("/@");
}
