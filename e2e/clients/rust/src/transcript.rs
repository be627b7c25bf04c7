//! Prints what a program observes of a cluster, without what differs between clusters.

use kube::Error;
use serde::Serialize;
use serde_json::Value;

/// Writes one line.
pub fn line(text: impl AsRef<str>) {
    println!("{}", text.as_ref());
}

/// Writes an object without uid, resource versions and times.
pub fn object(label: &str, value: &impl Serialize) {
    let mut value = serde_json::to_value(value).expect("objects can be serialized");
    strip(&mut value);
    line(format!("{label}: {value}"));
}

/// Writes the class and message of an error, or that there was none.
pub fn refusal<T>(label: &str, result: Result<T, Error>) {
    match result {
        Ok(_) => line(format!("{label}: no error")),
        Err(Error::Api(status)) => {
            let kinds = [
                (status.is_not_found(), "not found"),
                (status.is_already_exists(), "already exists"),
                (status.is_conflict(), "conflict"),
                (status.is_invalid(), "invalid"),
            ];
            let known: Vec<&str> = kinds.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
            object(&format!("{label}: {}", known.join(", ")), &status);
        }
        Err(other) => line(format!("{label}: {other}")),
    }
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["resourceVersion", "uid", "creationTimestamp", "time"] {
                fields.remove(key);
            }
            // The server orders managed fields by time, to the second.
            if let Some(Value::Array(entries)) = fields.get_mut("managedFields") {
                entries.sort_by_key(|entry| entry["manager"].to_string());
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
