//! Commits a second, by the kind of store and by how many tables play at once.
//!
//! **Invariant:** every commit is checked by the load itself. `cargo bench -p handfoot-store`
//! prints one line for each row; the tests run the same load, smaller. Stores in Redis are measured
//! too if their addresses are in `HANDFOOT_BENCH_REDIS`, divided by spaces; their tables stay there.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

#[path = "../tests/load.rs"]
mod load;

use std::sync::Arc;
use std::time::Instant;

use handfoot_store::{TableStore, open};

/// Tables at once, and commits of each, for a quick and for a slow store.
const ROWS: [(usize, u64, u64); 3] = [(1, 40_000, 1_000), (16, 5_000, 250), (64, 2_000, 200)];

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("threads for the load");
    let redis = std::env::var("HANDFOOT_BENCH_REDIS").unwrap_or_default();
    let redis: Vec<&str> = redis.split_whitespace().collect();
    for (place, kind) in ["memory:", "os", "disk"].into_iter().chain(redis).enumerate() {
        for (n_tables, quick, slow) in ROWS {
            let folder = tempfile::tempdir().expect("a folder for the store");
            let (url, n_commits) = match kind {
                "memory:" => (kind.to_owned(), quick),
                redis if redis.starts_with("redis") => {
                    // Tables of an earlier row are in the way of those of a later one.
                    let divider = if redis.contains('?') { '&' } else { '?' };
                    (format!("{redis}{divider}prefix=bench-{place}-{n_tables}"), slow * 10)
                }
                "os" => (format!("file:{}?sync=os", folder.path().display()), quick),
                _ => (format!("file:{}?sync=disk", folder.path().display()), slow),
            };
            let store: Arc<dyn TableStore> = open(&url).expect("a new store opens");
            let begin = Instant::now();
            let under_load = store.clone();
            runtime.block_on(async move { load::load(&under_load, n_tables, n_commits).await });
            let seconds = begin.elapsed().as_secs_f64();
            runtime.block_on(store.close()).expect("it closes");
            let rate = (n_tables as u64 * n_commits) as f64 / seconds;
            println!("{kind:8} {n_tables:3} at once {rate:9.0} commits/s");
        }
    }
}
