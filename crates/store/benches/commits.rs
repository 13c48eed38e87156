//! Commits a second, by the kind of store and by how many tables play at once.
//!
//! **Invariant:** every commit is checked by the load itself. `cargo bench -p handfoot-store`
//! prints one line for each row; the tests run the same load, smaller.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

#[path = "../tests/load.rs"]
mod load;

use std::sync::Arc;
use std::time::Instant;

use handfoot_store::{TableStore, open};

/// Tables at once, and commits of each, for a quick and for a slow store.
const ROWS: [(usize, u64, u64); 3] = [(1, 40_000, 1_000), (16, 5_000, 250), (64, 2_000, 200)];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
    let runtime = runtime.expect("threads for the load");
    for kind in ["memory:", "os", "disk"] {
        for (n_tables, quick, slow) in ROWS {
            let folder = tempfile::tempdir().expect("a folder for the store");
            let (url, n_commits) = match kind {
                "memory:" => (kind.to_owned(), quick),
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
