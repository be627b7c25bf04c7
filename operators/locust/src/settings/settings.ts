/** Amounts of what a container may use; what is not named is not limited. */
export interface Amounts {
  readonly cpu?: string;
  readonly memory?: string;
  readonly "ephemeral-storage"?: string;
}

/** What a container asks for and what it may use at most. */
export interface ResourceDefaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The variables that tell Locust how to reach Kafka. */
export interface KafkaConfig {
  readonly bootstrapServers: string;
  readonly securityEnabled: boolean;
  readonly securityProtocol: string;
  readonly saslMechanism: string;
  readonly saslJaasConfig: string;
  readonly username: string;
  readonly password: string;
  /** Whether pods get these variables. */
  readonly isInjected: boolean;
}

/** What the operator was set up with. The same for all tests. */
export interface OperatorConfig {
  /** How long finished Jobs are kept; undefined for as long as nobody deletes them. */
  readonly jobTtlSeconds: number | undefined;
  /** What Locust containers get, unless a test says something else. Each role has what it uses in effect. */
  readonly resources: { readonly master: ResourceDefaults; readonly worker: ResourceDefaults };
  readonly exporter: {
    readonly image: string;
    readonly port: number;
    readonly pullPolicy: "Always" | "IfNotPresent" | "Never";
    readonly resources: ResourceDefaults;
  };
  readonly kafka: KafkaConfig;
  /** Whether the affinity that a test asks for is used. */
  readonly affinityInjection: boolean;
  /** Whether the tolerations that a test asks for are used. */
  readonly tolerationsInjection: boolean;
  /** The runtime class of pods whose test names none; undefined for none. */
  readonly defaultRuntimeClassName: string | undefined;
  /** The namespaces to work in; all when empty. */
  readonly watchNamespaces: readonly string[];
  /** How long a pod may take before what is wrong with it counts. */
  readonly podStartupGraceSeconds: number;
  readonly maxConcurrentReconciles: number;
  readonly liveStats: {
    readonly enabled: boolean;
    /** How the master is reached. */
    readonly access: "podIP" | "apiProxy" | "off";
    readonly intervalSeconds: number;
  };
}
