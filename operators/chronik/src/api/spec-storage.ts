import { s } from "homeostat";
import { objectName, quantity, unchanged } from "./spec-common.ts";

const bucket = s.string().min(3).max(63);
const prefix = s.string().max(512).optional().describe("Prefix of all object names.");

const s3 = s.object({
  bucket,
  region: s.string().min(1).max(64),
  endpoint: s
    .string()
    .max(512)
    .pattern(String.raw`^https?://[^\s]+$`)
    .optional()
    .describe("URL of an S3-compatible service other than AWS."),
  prefix,
  pathStyle: s.bool().default(false).describe("If true, the bucket is part of the path instead of the host name."),
  credentialsSecret: objectName
    .optional()
    .describe("Secret with the keys access-key and secret-key. Default: the identity of the pods."),
});

const gcs = s.object({
  bucket,
  prefix,
  credentialsSecret: objectName
    .optional()
    .describe("Secret with the key credentials.json. Default: the identity of the pods."),
});

const azure = s.object({
  container: s.string().min(3).max(63),
  account: s.string().min(3).max(24),
  prefix,
  credentialsSecret: objectName
    .optional()
    .describe("Secret with the key account-key. Default: the identity of the pods."),
});

const retention = s.enum("Retain", "Delete").default("Retain");

export const objectStores = ["s3", "gcs", "azure"] as const;

export const storage = objectStores
  .reduce(
    (field, backend) =>
      field.rule({
        rule: `(self.backend == '${backend}') == has(self.${backend})`,
        message: `${backend} must be set if backend is ${backend}, and only then`,
        reason: "FieldValueInvalid",
        fieldPath: `.${backend}`,
      }),
    s.object({
      backend: s
        .enum("local", ...objectStores)
        .default("local")
        .describe("Where ingest nodes store segments. Immutable."),
      size: quantity
        .default("10Gi")
        .describe("Size of the volume of each controller and ingest node. It may only grow."),
      storageClass: s
        .string()
        .max(253)
        .pattern(String.raw`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$`)
        .optional()
        .describe(
          "StorageClass of the volumes. Default: the default StorageClass of the Kubernetes cluster. An empty string disables dynamic provisioning. Immutable.",
        ),
      accessModes: s
        .list(s.enum("ReadWriteOnce", "ReadWriteOncePod"))
        .set()
        .min(1)
        // Kubernetes does not allow ReadWriteOncePod together with another mode.
        .max(1)
        .default(["ReadWriteOnce"])
        .describe("Access mode of the volumes. Immutable."),
      s3: s3.optional(),
      gcs: gcs.optional(),
      azure: azure.optional(),
      retentionPolicy: s
        .object({
          whenDeleted: retention.describe("Whether the volume claims are kept when the cluster is deleted."),
          whenScaled: retention.describe("Whether the volume claims of removed members are kept."),
        })
        .default({}),
      search: s
        .object({
          medium: s
            .enum("emptyDir", "ephemeral")
            .default("emptyDir")
            .describe("Volume of search nodes: an emptyDir, or a generic ephemeral volume of the StorageClass."),
          size: quantity.optional().describe("Size of the volume of a search node. Default: storage.size."),
        })
        .default({}),
    }),
  )
  .rule({
    rule: "!isQuantity(self.size) || !isQuantity(oldSelf.size) || quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0",
    message: "must not be smaller than before: volumes cannot shrink",
    reason: "FieldValueForbidden",
    fieldPath: ".size",
  })
  .rule(unchanged("backend"))
  .rule(unchanged("storageClass", true))
  .rule(unchanged("accessModes"))
  .describe("Volumes and the object store.");

export const metastore = s
  .object({
    database: s
      .enum("postgres", "tikv", "embedded")
      .default("postgres")
      .describe("Where metadata is stored. embedded: in the Raft log of the controllers. Immutable."),
    connection: s
      .object({
        host: s.string().min(1).max(253).optional().describe("Default: postgres."),
        port: s.int().min(1).max(65_535).optional().describe("Default: 5432."),
        database: s.string().min(1).max(63).optional().describe("Name of the database. Default: chronik."),
        credentialsSecret: objectName
          .optional()
          .describe("Secret with the keys username and password. Default: chronik-postgres-secret."),
      })
      .optional()
      .describe("Connection to PostgreSQL. Only with the database postgres."),
    pdEndpoints: s
      .list(
        s
          .string()
          .max(259)
          .pattern(String.raw`^[^\s:]+:[0-9]{1,5}$`),
      )
      .set()
      .min(1)
      .max(9)
      .optional()
      .describe("Placement drivers of TiKV, as host:port. Only with the database tikv."),
  })
  .rule({
    rule: "(self.database == 'tikv') == has(self.pdEndpoints)",
    message: "pdEndpoints must be set if database is tikv, and only then",
    reason: "FieldValueInvalid",
    fieldPath: ".pdEndpoints",
  })
  .rule({
    rule: "self.database == 'postgres' || !has(self.connection)",
    message: "connection can be set only if database is postgres",
    reason: "FieldValueForbidden",
    fieldPath: ".connection",
  })
  .rule(unchanged("database"))
  .describe("Metadata store.");
