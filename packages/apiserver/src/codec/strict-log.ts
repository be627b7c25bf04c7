import { quote } from "@homeostat/cel";

/** More complaints than this help nobody; a kube-apiserver stops here too. */
const complaintsMax = 100;

/** Collects what a strict reader complains of, and knows where the reader is. */
export class StrictLog {
  readonly #path: string[] = [];
  readonly #complaints = new Set<string>();

  /** What was complained of, each once, in the order of the text: `unknown field "spec.foo"`. */
  get complaints(): readonly string[] {
    return [...this.#complaints];
  }

  /** How deep the reader is, for {@link leaveTo}. */
  get depth(): number {
    return this.#path.length;
  }

  /** Where the reader is: `spec.containers[0].env`. */
  get place(): string {
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
    if (this.#complaints.size >= complaintsMax) return;
    const path = this.#path.length > 0 ? `${this.#path.join("")}.${key}` : key;
    this.#complaints.add(`${what} ${quote(path)}`);
  }
}
