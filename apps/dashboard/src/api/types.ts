// Values that the server sends to the page as JSON.

/** State of an object, from the worst to the best. */
export type State = "problem" | "progressing" | "unknown" | "ready" | "finished";

/** The state of an object, with the word and the message that the object itself gives. */
export interface Health {
  readonly state: State;
  /** One word or two: `Running`, `CrashLoopBackOff`, `2/3 ready`. */
  readonly word: string;
  /** Explanation; may be empty. */
  readonly message: string;
}

/** Kind and name of an object. */
export interface ObjectRef {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Undefined for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The last recorded change of an object. */
export interface LastChange {
  /** RFC 3339. */
  readonly at: string;
  /** Field manager that changed the object. */
  readonly manager: string;
  /** Subresource such as `status`; empty for the object itself. */
  readonly subresource: string;
}

/** An object in the overview. */
export interface OverviewRow extends ObjectRef, Health {
  readonly uid: string;
  readonly createdAt: string;
  readonly lastChange?: LastChange | undefined;
}

/** A kind in the overview. */
export interface KindSummary {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Name of the operator that installed the CRD; undefined if the CRD has no label with it. */
  readonly operator?: string | undefined;
  /** Reason why its objects are not shown; undefined if they are. */
  readonly problem?: string | undefined;
}

/** The overview as a whole: the first message of its stream. */
export interface Overview {
  readonly kinds: readonly KindSummary[];
  readonly rows: readonly OverviewRow[];
}

/** A change of the overview. */
export interface OverviewChange {
  /** All kinds, if one was added or removed. */
  readonly kinds?: readonly KindSummary[] | undefined;
  /** Objects that were added or changed. */
  readonly rows: readonly OverviewRow[];
  /** UIDs of objects that were deleted. */
  readonly removed: readonly string[];
}

/** An object in the tree of a resource. */
export interface TreeNode extends ObjectRef, Health {
  readonly uid: string;
  /** UID of its owner in the tree; undefined for the root. */
  readonly parent?: string | undefined;
  readonly createdAt: string;
}

/** A condition with the explanation of the runbook. */
export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; empty if the condition has no time. */
  readonly since: string;
  /** Meaning and action of the runbook; undefined if no runbook has the condition. */
  readonly meaning?: string | undefined;
  readonly action?: string | undefined;
}

/** An event of an object of the tree. */
export interface EventView {
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339; empty if unknown. */
  readonly at: string;
  readonly reporter: string;
  /** `Pod shop/web-0`. */
  readonly about: string;
}

/** A line of YAML with the field managers that own its field. */
export interface YamlLine {
  readonly text: string;
  readonly managers: readonly string[];
}

/** A value that the user enters before an action is sent. */
export interface ActionInputView {
  readonly name: string;
  readonly label: string;
  readonly initial: string;
  /** Values to choose from; undefined for any text. */
  readonly choices?: readonly string[] | undefined;
}

/** A change of an object that the page offers as a button. */
export interface ActionView {
  readonly name: string;
  readonly label: string;
  /** Consequences, shown before the user confirms. */
  readonly description: string;
  readonly inputs: readonly ActionInputView[];
  readonly isDangerous: boolean;
}

/** A resource with its owned objects. */
export interface ResourceView {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly health: Health;
  readonly tree: readonly TreeNode[];
  /** Number of owned objects that are left out of the tree because of its size limit. */
  readonly treeOmitted: number;
  /** Kinds that the user must not list, so that the tree may lack objects. */
  readonly hiddenKinds: readonly string[];
  readonly conditions: readonly ConditionView[];
  readonly events: readonly EventView[];
  readonly yaml: readonly YamlLine[];
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status: unknown;
  /** Changes that the object offers in its state. Empty if the user may not patch it. */
  readonly actions: readonly ActionView[];
  /** True if the user may delete the object. */
  readonly mayDelete: boolean;
}

/** A line of a container's log. */
export interface LogLine {
  /** RFC 3339. */
  readonly at: string;
  readonly text: string;
}

/** A container of a pod and the state of its log: the first message of the view `log`. */
export interface LogState {
  /** Names of all containers of the pod. */
  readonly containers: readonly string[];
  readonly container: string;
  /** `Running`, `CrashLoopBackOff`, `Terminated with exit code 1`. */
  readonly state: string;
}

/** Lines that follow those before. */
export interface LogLines {
  /** Number of lines before these in the stream. 0 begins the log again. */
  readonly first: number;
  readonly lines: readonly LogLine[];
  /** Number of lines before these that are left out, because the container writes faster than the page shows. */
  readonly omitted: number;
  /** True if the container was restarted before these lines. */
  readonly isRestarted: boolean;
}

/** A message about the data sources of a stream: requests to the API server that fail and are retried. */
export interface StreamProblems {
  readonly problems: readonly string[];
}

/** An operator process, as its page `/why` describes it. */
export interface OperatorProcess {
  /** Name of the operator or pod. */
  readonly name: string;
  /** Reason why the process did not respond; undefined if it did. */
  readonly problem?: string | undefined;
  readonly isLeading?: boolean | undefined;
  readonly controllers: readonly unknown[];
  readonly informers: readonly unknown[];
}

/** History of an object in one controller. */
export interface ControllerHistory {
  readonly process: string;
  readonly controller: string;
  /** As the page `/why/CONTROLLER/NAMESPACE/NAME` returns it. */
  readonly explanation: unknown;
}

/** A change of an owned object by another client that an operator has reverted. */
export interface DriftEntry {
  /** RFC 3339. */
  readonly at: string;
  /** `Deployment shop/web`. */
  readonly object: string;
  /** Paths of the reverted fields. Empty if the object was deleted. */
  readonly fields: readonly string[];
  /** Field managers that had changed them; empty if they are unknown. */
  readonly managers: readonly string[];
  readonly wasDeleted: boolean;
  readonly reconcileId: string;
  readonly controller: string;
}

/** The drift of the owned objects of an object, the newest first. */
export interface DriftView {
  readonly entries: readonly DriftEntry[];
  /** True if an operator process has reconciled the object since it started. */
  readonly hasHistory: boolean;
  /** Operator processes that could not be asked. */
  readonly problems: readonly string[];
}

/** The work of controllers on an object, and the state of all operator processes. */
export interface WhyView {
  readonly ref?: ObjectRef | undefined;
  readonly histories: readonly ControllerHistory[];
  readonly processes: readonly OperatorProcess[];
}

/** Body of every response that is not successful. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** `token`: the user can log in with a token. */
  readonly login?: "token" | undefined;
}

/** The user of the page. */
export interface SessionView {
  /** Empty if it is not known, or the user is not logged in. */
  readonly user: string;
  readonly hasLogout: boolean;
  /** Explanation above the form for a token; undefined if the user is logged in, or cannot log in with a token. */
  readonly loginMessage?: string | undefined;
}
