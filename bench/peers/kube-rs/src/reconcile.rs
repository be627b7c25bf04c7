use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        controller::Action,
        reflector::{ObjectRef, Store},
    },
};
use serde_json::json;

use crate::{
    protocol::{RECONCILES, emit, now},
    widget::Widget,
};

const CHILDREN: usize = 3;

pub struct Context {
    pub client: Client,
    pub children: Store<ConfigMap>,
    pub has_children: bool,
}

/// Reports changes, or creates the children of a Widget and updates its status.
pub async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, kube::Error> {
    RECONCILES.fetch_add(1, Ordering::Relaxed);
    let name = widget.name_any();
    if !context.has_children {
        if widget.spec.sequence > 0 {
            emit(&json!({ "event": "reconciled", "at": now(), "name": name, "sequence": widget.spec.sequence }));
        }
        return Ok(Action::await_change());
    }
    let namespace = widget.namespace().unwrap_or_default();
    for i in 0..CHILDREN {
        ensure_child(&widget, &context, &namespace, format!("{name}-{i}")).await?;
    }
    let generation = widget.metadata.generation;
    let status = widget.status.clone().unwrap_or_default();
    if status.phase.as_deref() == Some("Ready") && status.observed_generation == generation {
        return Ok(Action::await_change());
    }
    let widgets: Api<Widget> = Api::namespaced(context.client.clone(), &namespace);
    let patch = json!({ "status": { "phase": "Ready", "observedGeneration": generation, "children": CHILDREN } });
    widgets.patch_status(&name, &PatchParams::default(), &Patch::Merge(&patch)).await?;
    emit(&json!({ "event": "ready", "at": now(), "name": name }));
    Ok(Action::await_change())
}

async fn ensure_child(widget: &Widget, context: &Context, namespace: &str, name: String) -> Result<(), kube::Error> {
    if context.children.get(&ObjectRef::new(&name).within(namespace)).is_some() {
        return Ok(());
    }
    let child = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name),
            labels: Some(BTreeMap::from([("bench.homeostat.dev/widget".to_owned(), widget.name_any())])),
            owner_references: widget.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("widget".to_owned(), widget.name_any())])),
        ..ConfigMap::default()
    };
    let children: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
    match children.create(&PostParams::default(), &child).await {
        // The store has not received the object yet.
        Err(kube::Error::Api(answer)) if answer.code == 409 => Ok(()),
        other => other.map(|_| ()),
    }
}

pub fn on_error(_: Arc<Widget>, error: &kube::Error, _: Arc<Context>) -> Action {
    eprintln!("{error}");
    Action::requeue(Duration::from_millis(100))
}
