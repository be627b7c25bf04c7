//! Uses kube-rs as its users do, and prints what it observes.
//!
//!     rust-client          everything except logs
//!     rust-client logs     the logs of a pod, which need a node

mod objects;
mod together;
mod transcript;

use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::api::{Api, PostParams};
use kube::{Client, Result};
use serde_json::json;
use std::time::Duration;
use transcript::line;

/// The namespace of all objects.
pub const NAMESPACE: &str = "kube-rs";

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.create(&PostParams::default(), &made(json!({ "metadata": { "name": NAMESPACE } }))).await?;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), NAMESPACE);
    until(async || accounts.get("default").await.is_ok()).await;
    if std::env::args().nth(1).as_deref() == Some("logs") {
        line("== logs");
        objects::logs(&client).await?;
    } else {
        line("== discovery");
        together::discovery(&client).await?;
        line("== config maps");
        objects::config_maps(&client).await?;
        line("== patches");
        objects::patches(&client).await?;
        line("== server-side apply");
        objects::apply(&client).await?;
        line("== a custom kind");
        together::custom_resources(&client).await?;
        line("== watching");
        together::watching(&client).await?;
        line("== errors");
        objects::refusals(&client).await?;
    }
    line("== done");
    Ok(())
}

/// Returns a typed object from JSON.
pub fn made<K: serde::de::DeserializeOwned>(value: serde_json::Value) -> K {
    serde_json::from_value(value).expect("the objects of this program are valid")
}

/// Returns whether a condition holds within a minute.
pub async fn until(is_true: impl AsyncFn() -> bool) -> bool {
    for _ in 0..600 {
        if is_true().await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}
