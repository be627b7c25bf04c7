/** An object inside another one, where its `apiVersion` and `kind` go without saying. */
export type Nested<T extends { apiVersion: string; kind: string }> = Omit<T, "apiVersion" | "kind"> &
  Partial<Pick<T, "apiVersion" | "kind">>;
