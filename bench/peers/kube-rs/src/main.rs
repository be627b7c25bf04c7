//! The benchmark program of kube-rs: a reflector, or a complete controller, for Widgets.

mod protocol;
mod reconcile;
mod widget;

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::{NamespaceResourceScope, api::core::v1::ConfigMap};
use kube::{
    Api, Client, Config, Resource,
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{
        Controller, WatchStreamExt, controller, reflector,
        watcher::{self, watcher},
    },
};
use protocol::{Options, emit_synced, now, obey};
use reconcile::{Context, on_error, reconcile};
use widget::Widget;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::read()?;
    tokio::select! {
        result = run(&options) => result?,
        () = obey() => {}
    }
    // Remaining tasks end with the process.
    std::process::exit(0);
}

async fn run(options: &Options) -> Result<(), Failure> {
    let kubeconfig = Kubeconfig::read_from(&options.kubeconfig)?;
    let access = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(access)?;
    let widgets: Api<Widget> = in_scope(&client, &options.namespace);
    let lists = match options.lists.as_str() {
        "streaming" => watcher::Config::default().streaming_lists(),
        _ => watcher::Config::default(),
    };

    if options.work == "cache" {
        let (store, writer) = reflector::store::<Widget>();
        let mut changes = reflector(writer, watcher(widgets, lists)).default_backoff().touched_objects().boxed();
        let announced = async {
            store.wait_until_ready().await?;
            emit_synced(now(), store.len());
            Ok::<(), Failure>(())
        };
        let followed = async { while changes.next().await.is_some() {} };
        let (result, ()) = futures::join!(announced, followed);
        return result;
    }

    let children: Api<ConfigMap> = in_scope(&client, &options.namespace);
    let (child_store, child_writer) = reflector::store::<ConfigMap>();
    let settings = controller::Config::default().concurrency(options.workers);
    let mut controller = Controller::new(widgets, lists.clone()).with_config(settings);
    let store = controller.store();
    let has_children = options.work == "children";
    if has_children {
        let changed = reflector(child_writer, watcher(children, lists)).default_backoff().applied_objects();
        controller = controller.owns_stream(changed);
    }
    let context = Arc::new(Context { client, children: child_store, has_children });
    let announced = async {
        store.wait_until_ready().await?;
        emit_synced(now(), store.len());
        Ok::<(), Failure>(())
    };
    let reconciled = controller.run(reconcile, on_error, context).for_each(|result| async move {
        if let Err(error) = result {
            eprintln!("{error}");
        }
    });
    let (result, ()) = futures::join!(announced, reconciled);
    result
}

/// Returns the API for one namespace, or for all.
fn in_scope<K>(client: &Client, namespace: &str) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    match namespace {
        "" => Api::all(client.clone()),
        _ => Api::namespaced(client.clone(), namespace),
    }
}
