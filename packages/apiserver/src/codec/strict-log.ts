import { quote } from "@homeostat/cel";

/** Maximum number of errors; kube-apiserver stops at the same number. */
const errorsMax = 100;

/** Collects strict decoding errors and tracks the path of the reader. */
export class StrictLog {
  readonly #path: string[] = [];
  readonly #errors = new Set<string>();

  /** Distinct errors in the order of the text: `unknown field "spec.foo"`. */
  get errors(): readonly string[] {
    return [...this.#errors];
  }

  /** Length of the current path, for {@link leaveTo}. */
  get depth(): number {
    return this.#path.length;
  }

  /** Current path: `spec.containers[0].env`. */
  get path(): string {
    return this.#path.join("");
  }

  enterKey(key: string): void {
    if (this.#path.length > 0) this.#path.push(".");
    this.#path.push(key);
  }

  enterIndex(index: number): void {
    this.#path.push(`[${index}]`);
  }

  leaveTo(depth: number): void {
    this.#path.length = depth;
  }

  unknownField(key: string): void {
    this.#add("unknown field", key);
  }

  duplicateField(key: string): void {
    this.#add("duplicate field", key);
  }

  #add(what: string, key: string): void {
    if (this.#errors.size >= errorsMax) return;
    const path = this.#path.length > 0 ? `${this.#path.join("")}.${key}` : key;
    this.#errors.add(`${what} ${quote(path)}`);
  }
}
