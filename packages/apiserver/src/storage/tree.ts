/** What a {@link Tree} can hold: something with a place in the order. */
export interface Ordered {
  readonly order: string;
}

/** Whoever may change a node in place. Trees that share nodes have different owners, and copy what they change. */
type Owner = object;

class Leaf<E extends Ordered> {
  readonly owner: Owner;
  readonly items: E[];

  constructor(owner: Owner, items: E[]) {
    this.owner = owner;
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }
}

class Inner<E extends Ordered> {
  readonly owner: Owner;
  readonly children: Node<E>[];
  /** For each child an order that is not behind any of its own and behind all of the child before. That of the first is not used. */
  readonly firsts: string[];
  size: number;

  constructor(owner: Owner, children: Node<E>[], firsts: string[]) {
    this.owner = owner;
    this.children = children;
    this.firsts = firsts;
    this.size = children.reduce((sum, child) => sum + child.size, 0);
  }
}

type Node<E extends Ordered> = Leaf<E> | Inner<E>;

/** Wide enough that 50,000 entries are three levels; narrow enough that the copy of a node is nothing. */
const widthMax = 64;
const widthMin = widthMax / 4;

/**
 * Entries in the order of their keys, of which a copy costs nothing: a B+ tree that shares its nodes with its clones.
 *
 * After {@link Tree.clone} both trees copy a node before they first change it, from the root down to the leaf, and change it in
 * place from then on. So neither ever sees what the other does.
 */
export class Tree<E extends Ordered> {
  #root: Node<E>;
  #owner: Owner;

  constructor() {
    this.#owner = {};
    this.#root = new Leaf<E>(this.#owner, []);
  }

  /** How many entries there are. */
  get size(): number {
    return this.#root.size;
  }

  /** A tree with the same entries, at once, whatever their number. */
  clone(): Tree<E> {
    const copy = new Tree<E>();
    copy.#root = this.#root;
    // The nodes so far belong to nobody now.
    this.#owner = {};
    return copy;
  }

  get(order: string): E | undefined {
    let node = this.#root;
    while (node instanceof Inner) {
      const child = node.children[childAt(node, order)];
      if (child === undefined) return undefined;
      node = child;
    }
    const item = node.items[placeIn(node, order)];
    return item?.order === order ? item : undefined;
  }

  /** Puts an entry in, in place of the one with the same order; returns that one. */
  set(item: E): E | undefined {
    const root = this.#own(this.#root);
    this.#root = root;
    const before = this.#insert(root, item);
    const right = this.#splitOff(root);
    if (right !== undefined) this.#root = new Inner<E>(this.#owner, [root, right], ["", firstOf(right)]);
    return before;
  }

  /** Takes an entry out; returns it, or `undefined` when there is none. */
  delete(order: string): E | undefined {
    // Looking first costs less than copying a path for nothing.
    if (this.get(order) === undefined) return undefined;
    const root = this.#own(this.#root);
    this.#root = root;
    const before = this.#remove(root, order);
    while (this.#root instanceof Inner && this.#root.children.length === 1) {
      const [only] = this.#root.children;
      if (only === undefined) break;
      this.#root = only;
    }
    return before;
  }

  /** How many entries come before an order. */
  rank(order: string): number {
    let node = this.#root;
    let before = 0;
    while (node instanceof Inner) {
      const at = childAt(node, order);
      for (let i = 0; i < at; i += 1) before += node.children[i]?.size ?? 0;
      const child = node.children[at];
      if (child === undefined) return before;
      node = child;
    }
    return before + placeIn(node, order);
  }

  /** Visits entries from `start` up to, but without, `end` (`undefined`: to the last), until a visit returns false. */
  scan(start: string, end: string | undefined, visit: (item: E) => boolean): void {
    scanNode(this.#root, start, end, visit);
  }

  #own(node: Node<E>): Node<E> {
    if (node.owner === this.#owner) return node;
    if (node instanceof Leaf) return new Leaf<E>(this.#owner, node.items.slice());
    return new Inner<E>(this.#owner, node.children.slice(), node.firsts.slice());
  }

  /** Inserts below a node that is ours. The node may be one too wide afterwards. */
  #insert(node: Node<E>, item: E): E | undefined {
    if (node instanceof Leaf) {
      const at = placeIn(node, item.order);
      const before = node.items[at];
      if (before?.order === item.order) {
        node.items[at] = item;
        return before;
      }
      node.items.splice(at, 0, item);
      return undefined;
    }
    const at = childAt(node, item.order);
    const child = this.#ownChild(node, at);
    const before = this.#insert(child, item);
    if (before === undefined) node.size += 1;
    const right = this.#splitOff(child);
    if (right !== undefined) {
      node.children.splice(at + 1, 0, right);
      node.firsts.splice(at + 1, 0, firstOf(right));
    }
    return before;
  }

  #ownChild(node: Inner<E>, at: number): Node<E> {
    const child = node.children[at];
    if (child === undefined) throw new RangeError("a tree node without a child at its own index");
    const own = this.#own(child);
    node.children[at] = own;
    return own;
  }

  /** The right half of a node that has grown too wide, cut off from it. */
  #splitOff(node: Node<E>): Node<E> | undefined {
    if (widthOf(node) <= widthMax) return undefined;
    // Keys often arrive in rising order: the left one stays nearly full then, instead of half empty for ever.
    const at = widthMax - widthMin;
    if (node instanceof Leaf) return new Leaf<E>(this.#owner, node.items.splice(at));
    const right = new Inner<E>(this.#owner, node.children.splice(at), node.firsts.splice(at));
    node.size -= right.size;
    return right;
  }

  /** Removes an entry that is there, below a node that is ours. */
  #remove(node: Node<E>, order: string): E | undefined {
    if (node instanceof Leaf) return node.items.splice(placeIn(node, order), 1)[0];
    const at = childAt(node, order);
    const child = this.#ownChild(node, at);
    const before = this.#remove(child, order);
    node.size -= 1;
    if (widthOf(child) < widthMin && node.children.length > 1) this.#join(node, at === 0 ? 0 : at - 1);
    return before;
  }

  /** Makes one child of two neighbours, or spreads their contents evenly when that would be too wide. */
  #join(node: Inner<E>, at: number): void {
    const left = this.#ownChild(node, at);
    const right = node.children[at + 1];
    if (right === undefined) return;
    if (left instanceof Leaf && right instanceof Leaf) left.items.push(...right.items);
    if (left instanceof Inner && right instanceof Inner) {
      left.children.push(...right.children);
      left.firsts.push(node.firsts[at + 1] ?? "", ...right.firsts.slice(1));
      left.size += right.size;
    }
    node.children.splice(at + 1, 1);
    node.firsts.splice(at + 1, 1);
    const rest = this.#splitOff(left);
    if (rest === undefined) return;
    node.children.splice(at + 1, 0, rest);
    node.firsts.splice(at + 1, 0, firstOf(rest));
  }
}

function widthOf<E extends Ordered>(node: Node<E>): number {
  return node instanceof Leaf ? node.items.length : node.children.length;
}

/** The separator in front of a node that was cut off another. */
function firstOf<E extends Ordered>(node: Node<E>): string {
  return (node instanceof Leaf ? node.items[0]?.order : node.firsts[0]) ?? "";
}

/** Which child an order belongs to. */
function childAt<E extends Ordered>({ firsts }: Inner<E>, order: string): number {
  let low = 1;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firsts[middle] ?? "") <= order) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where an order is among the items of a leaf, or would be. */
function placeIn<E extends Ordered>({ items }: Leaf<E>, order: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.order ?? "") < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

function scanNode<E extends Ordered>(
  node: Node<E>,
  start: string,
  end: string | undefined,
  visit: (item: E) => boolean,
): boolean {
  if (node instanceof Leaf) {
    for (let at = placeIn(node, start); at < node.items.length; at += 1) {
      const item = node.items[at];
      if (item === undefined || (end !== undefined && item.order >= end) || !visit(item)) return false;
    }
    return true;
  }
  for (let at = childAt(node, start); at < node.children.length; at += 1) {
    const child = node.children[at];
    if (child === undefined || !scanNode(child, start, end, visit)) return false;
  }
  return true;
}
