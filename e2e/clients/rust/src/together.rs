//! Discovery, a custom kind, and watches.

use crate::transcript::{line, object, refusal};
use crate::{NAMESPACE, made, until};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher::{self, Event, watcher};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Client, CustomResource, CustomResourceExt, Discovery, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;
use tokio::sync::mpsc;

/// Spec of a custom kind.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "rust.example", version = "v1", kind = "Shelf", plural = "shelves", namespaced, status = "ShelfStatus")]
pub struct ShelfSpec {
    #[schemars(range(min = 1, max = 9))]
    boards: u8,
    #[serde(default)]
    is_wooden: bool,
}

/// Status of the custom kind.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ShelfStatus {
    made: u8,
}

pub async fn discovery(client: &Client) -> Result<()> {
    let version = client.apiserver_version().await?;
    line(format!("version {}.{}", version.major, version.minor));
    let found = Discovery::new(client.clone()).run().await?;
    for group in found.groups_alphabetical() {
        for (resource, capabilities) in group.recommended_resources() {
            line(format!("{} {} {:?} {:?}", resource.api_version, resource.plural, capabilities.scope, capabilities.operations));
        }
    }
    let kind = GroupVersionKind::gvk("apps", "v1", "Deployment");
    line(format!("Deployment is known: {}", found.resolve_gvk(&kind).is_some()));
    Ok(())
}

pub async fn custom_resources(client: &Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let apply = PatchParams::apply("rust");
    definitions.patch("shelves.rust.example", &apply, &Patch::Apply(Shelf::crd())).await?;
    let established = await_condition(definitions.clone(), "shelves.rust.example", conditions::is_crd_established());
    line(format!("established {}", tokio::time::timeout(Duration::from_secs(60), established).await.is_ok()));
    let shelves: Api<Shelf> = Api::namespaced(client.clone(), NAMESPACE);
    let shelf = |boards: u8| Shelf::new("tall", ShelfSpec { boards, is_wooden: false });
    until(async || shelves.list(&Default::default()).await.is_ok()).await;
    object("created", &shelves.create(&PostParams::default(), &shelf(2)).await?);
    refusal("too many boards", shelves.patch("tall", &apply.clone().force(), &Patch::Apply(shelf(10))).await);
    let status = Patch::Merge(json!({ "status": { "made": 1 }, "spec": { "boards": 3 } }));
    object("status", &shelves.patch_status("tall", &PatchParams::default(), &status).await?);
    let kind = GroupVersionKind::gvk("rust.example", "v1", "Shelf");
    let (resource, _) = kube::discovery::pinned_kind(client, &kind).await?;
    let untyped: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &resource);
    object("untyped", &untyped.get("tall").await?.data);
    definitions.delete("shelves.rust.example", &DeleteParams::default()).await?;
    line(format!("gone {}", until(async || shelves.list(&Default::default()).await.is_err()).await));
    Ok(())
}

pub async fn watching(client: &Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let make = async |name: &str| {
        let object = made(json!({ "metadata": { "name": name, "labels": { "watched": "yes" } } }));
        api.create(&PostParams::default(), &object).await.map(|_: ConfigMap| ())
    };
    let change = async |patch: serde_json::Value| api.patch("after", &PatchParams::default(), &Patch::Merge(patch)).await;
    make("before").await?;
    for (how, config) in [("list and watch", watcher::Config::default()), ("streaming list", watcher::Config::default().streaming_lists())] {
        let (sender, mut seen) = mpsc::unbounded_channel();
        let (store, writer) = reflector::store::<ConfigMap>();
        let stream = reflector(writer, watcher(api.clone(), config.labels("watched=yes").timeout(30)));
        let following = tokio::spawn(stream.default_backoff().for_each(move |event| {
            let text = match event {
                Ok(Event::Init) => "init".into(),
                Ok(Event::InitApply(object)) => format!("initial {}", name_of(&object)),
                Ok(Event::InitDone) => "initial objects are done".into(),
                Ok(Event::Apply(object)) => format!("applied {} {:?}", name_of(&object), object.data),
                Ok(Event::Delete(object)) => format!("deleted {}", name_of(&object)),
                Err(error) => format!("error {error}"),
            };
            let _ = sender.send(text);
            futures::future::ready(())
        }));
        line(how);
        for _ in 0..3 {
            tell(&mut seen).await;
        }
        make("after").await?;
        tell(&mut seen).await;
        change(json!({ "data": { "a": "1" } })).await?;
        tell(&mut seen).await;
        // An object that leaves the selector is reported as deleted.
        change(json!({ "metadata": { "labels": { "watched": null } } })).await?;
        tell(&mut seen).await;
        api.delete("after", &DeleteParams::default()).await?;
        line(format!("{} in the store", store.state().len()));
        following.abort();
    }
    Ok(())
}

fn name_of(object: &ConfigMap) -> String {
    object.metadata.name.clone().unwrap_or_default()
}

async fn tell(seen: &mut mpsc::UnboundedReceiver<String>) {
    let next = tokio::time::timeout(Duration::from_secs(30), seen.recv()).await;
    line(next.ok().flatten().unwrap_or_else(|| "nothing within 30 s".into()));
}
