// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** CronJob represents the configuration of a single cron job. */
export interface CronJob {
  apiVersion: "batch/v1";
  kind: "CronJob";
  metadata: metaV1.ObjectMeta;
  /** Specification of the desired behavior of a cron job, including the schedule. */
  spec: CronJobSpec;
  /** Current status of a cron job. */
  status?: CronJobStatus;
}

/** The resource `cronjobs` of `batch/v1`. */
export const CronJob: BuiltInResource<CronJob, "Namespaced"> = {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  singular: "cronjob",
  scope: "Namespaced",
  shortNames: ["cj"],
  categories: ["all"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** CronJobList is a collection of cron jobs. */
export interface CronJobList {
  apiVersion: "batch/v1";
  kind: "CronJobList";
  metadata: metaV1.ListMeta;
  /** items is the list of CronJobs. */
  items: CronJob[];
}

/** CronJobSpec describes how the job execution will look like and when it will actually run. */
export interface CronJobSpec {
  /** Specifies how to treat concurrent executions of a Job. */
  concurrencyPolicy?: ConcurrencyPolicy;
  /** The number of failed finished jobs to retain. Value must be non-negative integer. */
  failedJobsHistoryLimit?: number;
  /** Specifies the job that will be created when executing a CronJob. */
  jobTemplate: JobTemplateSpec;
  /** The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron. */
  schedule: string;
  /** Optional deadline in seconds for starting the job if it misses scheduled time for any reason. */
  startingDeadlineSeconds?: number;
  /** The number of successful finished jobs to retain. Value must be non-negative integer. */
  successfulJobsHistoryLimit?: number;
  /**
   * This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.
   */
  suspend?: boolean;
  /** The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. */
  timeZone?: string;
}

/** CronJobStatus represents the current state of a cron job. */
export interface CronJobStatus {
  /** A list of pointers to currently running jobs. */
  active?: coreV1.ObjectReference[];
  /** Information when was the last time the job was successfully scheduled. */
  lastScheduleTime?: metaV1.Time;
  /** Information when was the last time the job successfully completed. */
  lastSuccessfulTime?: metaV1.Time;
}

/** Job represents the configuration of a single job. */
export interface Job {
  apiVersion: "batch/v1";
  kind: "Job";
  metadata: metaV1.ObjectMeta;
  /** Specification of the desired behavior of a job. */
  spec: JobSpec;
  /** Current status of a job. */
  status?: JobStatus;
}

/** The resource `jobs` of `batch/v1`. */
export const Job: BuiltInResource<Job, "Namespaced"> = {
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  singular: "job",
  scope: "Namespaced",
  shortNames: [],
  categories: ["all"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** JobCondition describes current state of a job. */
export interface JobCondition {
  /** Last time the condition was checked. */
  lastProbeTime?: metaV1.Time;
  /** Last time the condition transit from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** Human readable message indicating details about last transition. */
  message?: string;
  /** (brief) reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of job condition, Complete or Failed. */
  type: string;
}

/** JobList is a collection of jobs. */
export interface JobList {
  apiVersion: "batch/v1";
  kind: "JobList";
  metadata: metaV1.ListMeta;
  /** items is the list of Jobs. */
  items: Job[];
}

/** JobSpec describes how the job execution will look like. */
export interface JobSpec {
  /**
   * Specifies the duration in seconds relative to the startTime that the job may be continuously active before the
   * system tries to terminate it; value must be positive integer.
   */
  activeDeadlineSeconds?: number;
  /**
   * Specifies the number of retries before marking this job failed. Defaults to 6, unless backoffLimitPerIndex (only
   * Indexed Job) is specified.
   */
  backoffLimit?: number;
  /** Specifies the limit for the number of retries within an index before marking this index as failed. */
  backoffLimitPerIndex?: number;
  /** completionMode specifies how Pod completions are tracked. It can be `NonIndexed` (default) or `Indexed`. */
  completionMode?: CompletionMode;
  /** Specifies the desired number of successfully finished pods the job should be run with. */
  completions?: number;
  /**
   * ManagedBy field indicates the controller that manages a Job. The k8s Job controller reconciles jobs which don't
   * have this field at all or the field value is the reserved string `kubernetes.io/job-controller`, but skips
   * reconciling Jobs with a custom value for this field.
   */
  managedBy?: string;
  /**
   * manualSelector controls generation of pod labels and pod selectors. Leave `manualSelector` unset unless you are
   * certain what you are doing.
   */
  manualSelector?: boolean;
  /**
   * Specifies the maximal number of failed indexes before marking the Job as failed, when backoffLimitPerIndex is set.
   */
  maxFailedIndexes?: number;
  /** Specifies the maximum desired number of pods the job should run at any given time. */
  parallelism?: number;
  /**
   * Specifies the policy of handling failed pods. In particular, it allows to specify the set of actions and conditions
   * which need to be satisfied to take the associated action.
   */
  podFailurePolicy?: PodFailurePolicy;
  /** podReplacementPolicy specifies when to create replacement Pods. */
  podReplacementPolicy?: PodReplacementPolicy;
  /** A label query over pods that should match the pod count. Normally, the system sets this field for you. */
  selector?: metaV1.LabelSelector;
  /** successPolicy specifies the policy when the Job can be declared as succeeded. */
  successPolicy?: SuccessPolicy;
  /** suspend specifies whether the Job controller should create Pods or not. */
  suspend?: boolean;
  /**
   * Describes the pod that will be created when executing a job. The only allowed template.spec.restartPolicy values
   * are "Never" or "OnFailure".
   */
  template: coreV1.PodTemplateSpec;
  /** ttlSecondsAfterFinished limits the lifetime of a Job that has finished execution (either Complete or Failed). */
  ttlSecondsAfterFinished?: number;
}

/** JobStatus represents the current state of a Job. */
export interface JobStatus {
  /** The number of pending and running pods which are not terminating (without a deletionTimestamp). */
  active?: number;
  /** completedIndexes holds the completed indexes when .spec.completionMode = "Indexed" in a text format. */
  completedIndexes?: string;
  /**
   * Represents time when the job was completed. It is not guaranteed to be set in happens-before order across separate
   * operations.
   */
  completionTime?: metaV1.Time;
  /**
   * The latest available observations of an object's current state. When a Job fails, one of the conditions will have
   * type "Failed" and status true.
   */
  conditions?: JobCondition[];
  /** The number of pods which reached phase Failed. The value increases monotonically. */
  failed?: number;
  /** FailedIndexes holds the failed indexes when spec.backoffLimitPerIndex is set. */
  failedIndexes?: string;
  /** The number of active pods which have a Ready condition and are not terminating (without a deletionTimestamp). */
  ready?: number;
  /**
   * Represents time when the job controller started processing a job. When a Job is created in the suspended state,
   * this field is not set until the first time it is resumed.
   */
  startTime?: metaV1.Time;
  /** The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. */
  succeeded?: number;
  /** The number of pods which are terminating (in phase Pending or Running and have a deletionTimestamp). */
  terminating?: number;
  /**
   * uncountedTerminatedPods holds the UIDs of Pods that have terminated but the job controller hasn't yet accounted for
   * in the status counters.
   */
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

/** JobTemplateSpec describes the data a Job should have when created from a template */
export interface JobTemplateSpec {
  /** Standard object's metadata of the jobs created from this template. */
  metadata?: metaV1.ObjectMeta;
  /** Specification of the desired behavior of the job. */
  spec?: JobSpec;
}

/** PodFailurePolicy describes how failed pods influence the backoffLimit. */
export interface PodFailurePolicy {
  /** A list of pod failure policy rules. The rules are evaluated in order. */
  rules: PodFailurePolicyRule[];
}

/**
 * PodFailurePolicyOnExitCodesRequirement describes the requirement for handling a failed pod based on its container
 * exit codes.
 */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Restricts the check for exit codes to the container with the specified name. */
  containerName?: string;
  /** Represents the relationship between the container exit code(s) and the specified values. */
  operator: PodFailurePolicyOnExitCodesOperator;
  /**
   * Specifies the set of values. Each returned container exit code (might be multiple in case of multiple containers)
   * is checked against this set of values with respect to the operator.
   */
  values: number[];
}

/** PodFailurePolicyOnPodConditionsPattern describes a pattern for matching an actual pod condition type. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /**
   * Specifies the required Pod condition status. To match a pod condition it is required that the specified status
   * equals the pod condition status.
   */
  status?: string;
  /**
   * Specifies the required Pod condition type. To match a pod condition it is required that specified type equals the
   * pod condition type.
   */
  type: string;
}

/** PodFailurePolicyRule describes how a pod failure is handled when the requirements are met. */
export interface PodFailurePolicyRule {
  /** Specifies the action taken on a pod failure when the requirements are satisfied. */
  action: PodFailurePolicyAction;
  /** Represents the requirement on the container exit codes. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /**
   * Represents the requirement on the pod conditions. The requirement is represented as a list of pod condition
   * patterns.
   */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** SuccessPolicy describes when a Job can be declared as succeeded based on the success of some indexes. */
export interface SuccessPolicy {
  /**
   * rules represents the list of alternative rules for the declaring the Jobs as successful before `.status.succeeded
   * >= .spec.completions`.
   */
  rules: SuccessPolicyRule[];
}

/**
 * SuccessPolicyRule describes rule for declaring a Job as succeeded. Each rule must have at least one of the
 * "succeededIndexes" or "succeededCount" specified.
 */
export interface SuccessPolicyRule {
  /** succeededCount specifies the minimal required size of the actual set of the succeeded indexes for the Job. */
  succeededCount?: number;
  /**
   * succeededIndexes specifies the set of indexes which need to be contained in the actual set of the succeeded indexes
   * for the Job.
   */
  succeededIndexes?: string;
}

/**
 * UncountedTerminatedPods holds UIDs of Pods that have terminated but haven't been accounted in Job status counters.
 */
export interface UncountedTerminatedPods {
  /** failed holds UIDs of failed Pods. */
  failed?: string[];
  /** succeeded holds UIDs of succeeded Pods. */
  succeeded?: string[];
}

/**
 * The values of `CompletionMode`.
 *
 * - `"Indexed"` is a Job completion mode.
 * - `"NonIndexed"` is a Job completion mode.
 */
export type CompletionMode = "Indexed" | "NonIndexed";

/**
 * The values of `ConcurrencyPolicy`.
 *
 * - `"Allow"` allows CronJobs to run concurrently.
 * - `"Forbid"` forbids concurrent runs, skipping next run if previous hasn't finished yet.
 * - `"Replace"` cancels currently running job and replaces it with a new one.
 */
export type ConcurrencyPolicy = "Allow" | "Forbid" | "Replace";

/**
 * The values of `PodFailurePolicyAction`.
 *
 * - `"Count"` This is an action which might be taken on a pod failure - the pod failure is handled in the default way
 *   - the counter towards .backoffLimit, represented by the job's .status.failed field, is incremented.
 * - `"FailIndex"` This is an action which might be taken on a pod failure - mark the Job's index as failed to avoid
 *   restarts within this index.
 * - `"FailJob"` This is an action which might be taken on a pod failure - mark the pod's job as Failed and terminate
 *   all running pods.
 * - `"Ignore"` This is an action which might be taken on a pod failure - the counter towards .backoffLimit,
 *   represented by the job's .status.failed field, is not incremented and a replacement pod is created.
 */
export type PodFailurePolicyAction = "Count" | "FailIndex" | "FailJob" | "Ignore";

/** The values of `PodFailurePolicyOnExitCodesOperator`. */
export type PodFailurePolicyOnExitCodesOperator = "In" | "NotIn";

/**
 * The values of `PodReplacementPolicy`.
 *
 * - `"Failed"` means to wait until a previously created Pod is fully terminated (has phase Failed or Succeeded)
 *   before creating a replacement Pod.
 * - `"TerminatingOrFailed"` means that we recreate pods when they are terminating (has a metadata.deletionTimestamp)
 *   or failed.
 */
export type PodReplacementPolicy = "Failed" | "TerminatingOrFailed";
