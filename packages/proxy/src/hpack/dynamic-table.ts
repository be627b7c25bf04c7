/** The dynamic table of a decoder (RFC 7541, 2.3.2): the latest fields, up to a size. */
export class DynamicTable {
  /** Newest field last, so that an insertion moves nothing. */
  readonly #fields: (readonly [name: string, value: string])[] = [];
  #bytes = 0;
  #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the field with an index that starts at 1 for the newest. */
  get(index: number): readonly [name: string, value: string] | undefined {
    return this.#fields[this.#fields.length - index];
  }

  /** Adds a field and evicts the oldest ones. A field larger than the table empties it. */
  add(name: string, value: string): void {
    this.#fields.push([name, value]);
    this.#bytes += sizeOf(name, value);
    this.#evict();
  }

  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#evict();
  }

  #evict(): void {
    let count = 0;
    while (this.#bytes > this.#bytesMax) {
      const [name, value] = this.#fields[count] ?? ["", ""];
      this.#bytes -= sizeOf(name, value);
      count += 1;
    }
    this.#fields.splice(0, count);
  }
}

/** Returns the size of a field in tables and lists (RFC 7541, 4.1). */
export function sizeOf(name: string, value: string): number {
  return name.length + value.length + 32;
}
