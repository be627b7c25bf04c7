/** An item of a {@link Tree}: anything with a sort key. */
export interface Ordered {
  readonly order: string;
}

/**
 * Identity token of the tree that may change a node in place. Trees that share nodes have different owners and copy a
 * node first.
 */
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
  /**
   * Separators: `firsts[i]` is greater than every order in child `i - 1` and not greater than any in child `i`. The
   * first one is unused.
   */
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

/** Maximum number of children or items per node: 50,000 entries need three levels, and copying one node is cheap. */
const widthMax = 64;
const widthMin = widthMax / 4;

/**
 * A sorted map as a copy-on-write B+ tree, which shares its nodes with its clones.
 *
 * {@link Tree.clone} takes constant time. After it, each of the two trees copies a node before it first changes it, on
 * the path from the root to the leaf, and changes its own copy in place from then on. So neither tree sees changes of
 * the other.
 */
export class Tree<E extends Ordered> {
  #root: Node<E>;
  #owner: Owner;

  constructor() {
    this.#owner = {};
    this.#root = new Leaf<E>(this.#owner, []);
  }

  /** Number of entries. */
  get size(): number {
    return this.#root.size;
  }

  /** Returns a tree with the same entries, in constant time. */
  clone(): Tree<E> {
    const copy = new Tree<E>();
    copy.#root = this.#root;
    // No tree owns the current nodes: both copy them before a change.
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
    const item = node.items[indexIn(node, order)];
    return item?.order === order ? item : undefined;
  }

  /** Adds an entry, or replaces the one with the same order. Returns the replaced entry. */
  set(item: E): E | undefined {
    const root = this.#own(this.#root);
    this.#root = root;
    const before = this.#insert(root, item);
    const right = this.#splitOff(root);
    if (right !== undefined) this.#root = new Inner<E>(this.#owner, [root, right], ["", firstOf(right)]);
    return before;
  }

  /** Removes an entry and returns it; undefined if there is none. */
  delete(order: string): E | undefined {
    // A lookup is cheaper than copying a path in vain.
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

  /** Returns the number of entries before an order. */
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
    return before + indexIn(node, order);
  }

  /**
   * Visits entries from `start` (inclusive) to `end` (exclusive; undefined: to the last) in order, until `visit`
   * returns false.
   */
  scan(start: string, end: string | undefined, visit: (item: E) => boolean): void {
    scanNode(this.#root, start, end, visit);
  }

  /** Returns the node if this tree owns it, otherwise a copy that it owns. */
  #own(node: Node<E>): Node<E> {
    if (node.owner === this.#owner) return node;
    if (node instanceof Leaf) return new Leaf<E>(this.#owner, node.items.slice());
    return new Inner<E>(this.#owner, node.children.slice(), node.firsts.slice());
  }

  /** Inserts an item below an owned node, which may have one child or item too many afterwards. */
  #insert(node: Node<E>, item: E): E | undefined {
    if (node instanceof Leaf) {
      const at = indexIn(node, item.order);
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

  /** Splits a node that is too wide. Returns the new right node; undefined if no split is needed. */
  #splitOff(node: Node<E>): Node<E> | undefined {
    if (widthOf(node) <= widthMax) return undefined;
    // Keys often arrive in ascending order. An uneven split keeps the left node nearly full then; it would stay half
    // empty otherwise.
    const at = widthMax - widthMin;
    if (node instanceof Leaf) return new Leaf<E>(this.#owner, node.items.splice(at));
    const right = new Inner<E>(this.#owner, node.children.splice(at), node.firsts.splice(at));
    node.size -= right.size;
    return right;
  }

  /** Removes an existing item below an owned node. */
  #remove(node: Node<E>, order: string): E | undefined {
    if (node instanceof Leaf) return node.items.splice(indexIn(node, order), 1)[0];
    const at = childAt(node, order);
    const child = this.#ownChild(node, at);
    const before = this.#remove(child, order);
    node.size -= 1;
    if (widthOf(child) < widthMin && node.children.length > 1) this.#join(node, at === 0 ? 0 : at - 1);
    return before;
  }

  /** Merges two neighbouring children, or redistributes their content if one node would be too wide. */
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

/** Returns the separator for a node that was split off. */
function firstOf<E extends Ordered>(node: Node<E>): string {
  return (node instanceof Leaf ? node.items[0]?.order : node.firsts[0]) ?? "";
}

/** Returns the index of the child that contains an order (binary search). */
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

/** Returns the index of an order in a leaf, or the index at which it would be inserted. */
function indexIn<E extends Ordered>({ items }: Leaf<E>, order: string): number {
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
    for (let at = indexIn(node, start); at < node.items.length; at += 1) {
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
