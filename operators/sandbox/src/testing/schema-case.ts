// The form of the tables of valid and invalid objects. They are data, so every API server can be asked the same questions.

export type TestedKind = "Sandbox" | "RouteGroup" | "LocalWorkload" | "SandboxPolicy" | "RouteTable";

/** An object to create, and the expected response. */
export interface SchemaCase {
  readonly kind: TestedKind;
  readonly title: string;
  readonly spec: unknown;
  /** Name of the object. Default: `a`. */
  readonly name?: string;
  /** Part of the error message. Absent if the object is accepted. */
  readonly refused?: string;
  /** Expected values by path of the stored object; null for an absent field. */
  readonly expect?: Readonly<Record<string, unknown>>;
}

/** An object that is created and then changed, and the expected response to the change. */
export interface UpdateCase {
  readonly kind: TestedKind;
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Part of the error message. Absent if the change is accepted. */
  readonly refused?: string;
}

/** Returns a text of this length. */
export function long(length: number): string {
  return "x".repeat(length);
}

/** Returns a list of this length. */
export function many<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}
