//! The command line, standard input and standard output that all benchmark programs share; see bench/peers/README.md.

use std::{
    io::Write,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

pub static RECONCILES: AtomicU64 = AtomicU64::new(0);

pub struct Options {
    pub kubeconfig: String,
    /// `cache`, `reconcile` or `children`.
    pub work: String,
    /// Namespace to watch; all when empty.
    pub namespace: String,
    pub workers: u16,
    /// `paged` or `streaming`.
    pub lists: String,
}

impl Options {
    /// Parses `--name value` pairs.
    pub fn read() -> Result<Self, String> {
        let mut options = Options {
            kubeconfig: String::new(),
            work: "cache".into(),
            namespace: String::new(),
            workers: 1,
            lists: "paged".into(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--kubeconfig" => options.kubeconfig = value,
                "--work" => options.work = value,
                "--namespace" => options.namespace = value,
                "--workers" => options.workers = value.parse().map_err(|error| format!("{name}: {error}"))?,
                "--lists" => options.lists = value,
                _ => return Err(format!("{name} is not an option")),
            }
        }
        Ok(options)
    }
}

/// Returns the system's monotonic clock in nanoseconds, which all processes share.
pub fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer refers to a local timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

pub fn emit(line: &Value) {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{line}");
    let _ = output.flush();
}

pub fn emit_synced(at: i64, objects: usize) {
    emit(&json!({ "event": "synced", "at": at, "objects": objects }));
}

/// Executes commands from standard input until it ends.
pub async fn obey() {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match line.as_str() {
            // No garbage collection in Rust; the allocator keeps freed memory.
            "collect" => {
                let reconciles = RECONCILES.load(Ordering::Relaxed);
                emit(&json!({ "event": "collected", "at": now(), "reconciles": reconciles }));
            }
            "quit" => return,
            _ => {}
        }
    }
}
