//! Operations on single objects.

use crate::transcript::{line, object, refusal};
use crate::{NAMESPACE, made, until};
use futures::{AsyncBufReadExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, Result};
use serde_json::json;

fn config_map(name: &str) -> ConfigMap {
    made(json!({ "metadata": { "name": name, "labels": { "app": "web" } }, "data": { "text": "ä\n" } }))
}

pub async fn config_maps(client: &Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let post = PostParams { field_manager: Some("rust".into()), ..Default::default() };
    let mut one = api.create(&post, &config_map("one")).await?;
    object("created", &one);
    object("read", &api.get("one").await?);
    object("metadata alone", &api.get_metadata("one").await?);
    one.data.get_or_insert_default().insert("more".into(), "1".into());
    object("replaced", &api.replace("one", &post, &one).await?);
    refusal("replaced from an old copy", api.replace("one", &post, &one).await);
    refusal("created twice", api.create(&post, &config_map("one")).await);
    object("dry run", &api.create(&PostParams { dry_run: true, ..post.clone() }, &config_map("dry")).await?);
    line(format!("the object exists: {}", api.get_opt("dry").await?.is_some()));
    api.create(&post, &config_map("two")).await?;
    api.create(&post, &config_map("three")).await?;
    let mut token = None;
    loop {
        let mut params = ListParams::default().labels("app=web").limit(2);
        params.continue_token = token;
        let page = api.list(&params).await?;
        let names: Vec<_> = page.items.iter().filter_map(|item| item.metadata.name.clone()).collect();
        line(format!("page of {}", names.join(", ")));
        token = page.metadata.continue_.filter(|next| !next.is_empty());
        if token.is_none() {
            break;
        }
    }
    let other = Preconditions { uid: Some("4fa3b0f0-0000-4000-8000-000000000000".into()), ..Default::default() };
    let result = api.delete("two", &DeleteParams::default().preconditions(other)).await;
    line(format!("deleted with another uid: {}", result.is_ok()));
    object("deleted", &api.delete("two", &DeleteParams::default()).await?.right());
    Ok(())
}

pub async fn patches(client: &Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let params = PatchParams::default();
    let merge = Patch::Merge(json!({ "data": { "more": null, "merged": "1" } }));
    object("merge", &api.patch("one", &params, &merge).await?);
    let test = json!({ "op": "test", "path": "/data/merged", "value": "1" });
    let moved = json!({ "op": "move", "from": "/data/merged", "path": "/data/moved" });
    let patch = Patch::<()>::Json(made(json!([test, moved])));
    object("json", &api.patch("one", &params, &patch).await?);
    refusal("a test that fails", api.patch("one", &params, &patch).await);
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let web: Deployment = made(json!({
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 0,
            "paused": true,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "main", "image": "example.com/web:1" }] },
            },
        },
    }));
    deployments.create(&PostParams::default(), &web).await?;
    let containers = json!([{ "name": "side", "image": "example.com/side:1" }]);
    let side = Patch::Strategic(json!({ "spec": { "template": { "spec": { "containers": containers } } } }));
    object("strategic", &deployments.patch("web", &params, &side).await?.spec);
    object("scale", &deployments.get_scale("web").await?.spec);
    let two = Patch::Merge(json!({ "spec": { "replicas": 2 } }));
    object("scaled", &deployments.patch_scale("web", &params, &two).await?.spec);
    deployments.delete("web", &DeleteParams::foreground()).await?;
    line(format!("gone {}", until(async || deployments.get("web").await.is_err()).await));
    Ok(())
}

pub async fn apply(client: &Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let wish = |data: serde_json::Value| {
        Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": data }))
    };
    let (first, second) = (PatchParams::apply("first"), PatchParams::apply("second"));
    object("applied", &api.patch("applied", &first, &wish(json!({ "a": "1", "b": "1" }))).await?);
    object("less", &api.patch("applied", &first, &wish(json!({ "a": "1" }))).await?);
    refusal("a conflict", api.patch("applied", &second, &wish(json!({ "a": "2" }))).await);
    object("forced", &api.patch("applied", &second.force(), &wish(json!({ "a": "2" }))).await?);
    Ok(())
}

pub async fn refusals(client: &Client) -> Result<()> {
    let nowhere: Api<ConfigMap> = Api::namespaced(client.clone(), "nowhere");
    let here: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let post = PostParams::default();
    refusal("a namespace that does not exist", nowhere.create(&post, &config_map("a")).await);
    refusal("an object that does not exist", here.get("a").await);
    refusal("an invalid name", here.create(&post, &config_map("A_")).await);
    refusal("an invalid continue token", here.list(&ListParams::default().continue_token("rubbish")).await);
    refusal("an unsupported field selector", here.list(&ListParams::default().fields("data.text=x")).await);
    let empty: Pod = made(json!({ "metadata": { "name": "empty" }, "spec": { "containers": [] } }));
    refusal("a pod without containers", pods.create(&post, &empty).await);
    here.delete_collection(&DeleteParams::default(), &ListParams::default().labels("app=web")).await?;
    line(format!("{} left", here.list(&ListParams::default().labels("app")).await?.items.len()));
    Ok(())
}

pub async fn logs(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let talker: Pod = made(json!({
        "metadata": { "name": "talker" },
        "spec": {
            "restartPolicy": "Never",
            "containers": [{ "name": "main", "image": "busybox:1", "command": ["sh", "-c", "echo one; echo two"] }],
        },
    }));
    pods.create(&PostParams::default(), &talker).await?;
    let running = await_condition(pods.clone(), "talker", conditions::is_pod_running());
    let done = async || pods.get("talker").await.is_ok_and(|pod| pod.status.and_then(|s| s.phase).as_deref() == Some("Succeeded"));
    tokio::select! { _ = running => {}, _ = until(&done) => {} }
    line(format!("succeeded {}", until(&done).await));
    let params = LogParams { tail_lines: Some(1), ..Default::default() };
    line(format!("{:?}", pods.logs("talker", &params).await?));
    let follow = LogParams { follow: true, ..Default::default() };
    let lines: Vec<String> = pods.log_stream("talker", &follow).await?.lines().try_collect().await.expect("the logs can be read");
    line(format!("{lines:?}"));
    Ok(())
}
