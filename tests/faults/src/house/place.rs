//! Where tables are kept: one Redis server, a primary with sentinels, or a cluster.
//!
//! **Invariant:** nothing here speaks to a game.

use handfoot_processes::ProcessError;
use handfoot_processes::redis::{Cluster, Server, Watched};

/// Which servers there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One, which is told whether to sync every write.
    Alone,
    /// A primary, two replicas, three sentinels.
    Watched,
    /// Three primaries with a replica each.
    Cluster,
}

/// Servers that run.
#[derive(Debug)]
pub(crate) enum Place {
    Alone(Box<Server>),
    Watched(Box<Watched>),
    Cluster(Cluster),
}

impl Place {
    pub(crate) fn start(kind: Kind, settings: &[&str]) -> Result<Place, ProcessError> {
        Ok(match kind {
            Kind::Alone => Place::Alone(Box::new(Server::start(settings)?)),
            Kind::Watched => Place::Watched(Box::new(Watched::start(settings)?)),
            Kind::Cluster => Place::Cluster(Cluster::start(settings)?),
        })
    }

    /// The one that began as the primary; of a cluster, the first of them.
    pub(crate) fn primary(&mut self) -> &mut Server {
        match self {
            Place::Alone(server) => server,
            Place::Watched(group) => &mut group.primary,
            Place::Cluster(cluster) => &mut cluster.servers[0],
        }
    }

    /// Waits until another server has followed that one.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) fn wait_for_another(&self) -> Result<(), ProcessError> {
        match self {
            // The sentinels choose; callers find out.
            Place::Alone(_) | Place::Watched(_) => Ok(()),
            Place::Cluster(cluster) => {
                let of_first = cluster.servers.len() / 2;
                cluster.servers[of_first].wait_for("INFO replication", "role:master")
            }
        }
    }

    /// The address of the store.
    pub(crate) fn url(&self, options: &str) -> String {
        match self {
            Place::Alone(server) => format!("{}{options}", server.url()),
            Place::Watched(group) => group.url(options),
            Place::Cluster(cluster) => cluster.url(options),
        }
    }
}
