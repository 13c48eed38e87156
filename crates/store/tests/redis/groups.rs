//! A cluster for the tests.
//!
//! **Invariant:** it is whole when it is given out.

use handfoot_processes::redis as started;

use super::servers::{Server, done};

/// Three primaries, then a replica of each.
pub(super) struct Cluster {
    pub(super) servers: Vec<Server>,
    url: String,
}

impl Cluster {
    pub(super) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(super) fn start_with(settings: &[&str]) -> Self {
        let cluster = done(started::Cluster::start(settings));
        let url = cluster.url("");
        Self { servers: cluster.servers.into_iter().map(Server::from).collect(), url }
    }

    pub(super) fn url(&self, options: &str) -> String {
        format!("{}{options}", self.url)
    }
}
