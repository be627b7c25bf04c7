/** Makes the cells of one object, in the order of its columns. */
export type CellMaker = (object: unknown, nowMs: number) => unknown[];
