//! A cluster of three primaries with a replica each.
//!
//! **Invariant:** every server knows every other and all slots before anybody is given the group.

use super::server::Server;
use crate::error::ProcessError;

/// Primaries, and as many replicas.
const PRIMARIES: usize = 3;

/// The slots of each primary.
const SHARES: [&str; PRIMARIES] = ["0 5460", "5461 10922", "10923 16383"];

/// What every server is told. Any replica may follow, however long it has heard nothing.
const SETTINGS: [&str; 8] = [
    "--cluster-enabled",
    "yes",
    "--cluster-config-file",
    "nodes.conf",
    "--cluster-node-timeout",
    "1000",
    "--cluster-replica-validity-factor",
    "0",
];

/// Three primaries, then their replicas in the same order.
#[derive(Debug)]
pub struct Cluster {
    /// All of them.
    pub servers: Vec<Server>,
}

impl Cluster {
    /// Starts all of them.
    ///
    /// # Errors
    ///
    /// Says which does not run.
    pub fn start(settings: &[&str]) -> Result<Cluster, ProcessError> {
        let settings = [&SETTINGS, settings].concat();
        let servers = (0..2 * PRIMARIES).map(|_| Server::start(&settings));
        let cluster = Cluster { servers: servers.collect::<Result<Vec<_>, _>>()? };
        cluster.meet()?;
        cluster.give_replicas()?;
        cluster.wait_until_whole()?;
        Ok(cluster)
    }

    /// The address of a store in it, with options such as `?durability=replicated`.
    #[must_use]
    pub fn url(&self, options: &str) -> String {
        let seeds = self.servers.iter().take(2);
        let hosts = seeds.map(|server| format!("127.0.0.1:{}", server.port()));
        format!("redis+cluster://{}{options}", hosts.collect::<Vec<_>>().join(","))
    }

    fn pairs(&self) -> impl Iterator<Item = (&Server, &Server)> {
        self.servers.iter().zip(self.servers.iter().skip(PRIMARIES))
    }

    fn meet(&self) -> Result<(), ProcessError> {
        for (number, server) in (1..).zip(&self.servers) {
            let _: String = server.ask(&format!("CLUSTER SET-CONFIG-EPOCH {number}"))?;
        }
        for (server, share) in self.servers.iter().zip(SHARES) {
            let _: String = server.ask(&format!("CLUSTER ADDSLOTSRANGE {share}"))?;
        }
        let Some((first, others)) = self.servers.split_first() else { return Ok(()) };
        for server in others {
            let _: String = server.ask(&format!("CLUSTER MEET 127.0.0.1 {}", first.port()))?;
        }
        for server in &self.servers {
            server.wait_for("CLUSTER INFO", "cluster_known_nodes:6")?;
            server.wait_for("CLUSTER INFO", "cluster_slots_assigned:16384")?;
        }
        Ok(())
    }

    fn give_replicas(&self) -> Result<(), ProcessError> {
        for (primary, replica) in self.pairs() {
            let name: String = primary.ask("CLUSTER MYID")?;
            let _: String = replica.ask(&format!("CLUSTER REPLICATE {name}"))?;
        }
        for (primary, replica) in self.pairs() {
            replica.wait_for("INFO replication", "master_link_status:up")?;
            primary.wait_for("INFO replication", "state=online")?;
        }
        Ok(())
    }

    fn wait_until_whole(&self) -> Result<(), ProcessError> {
        for server in &self.servers {
            server.wait_for("CLUSTER INFO", "cluster_state:ok")?;
            for (_, replica) in self.pairs() {
                // Everybody knows of everybody's replica, or nobody would vote for it.
                server.wait_for("CLUSTER NODES", &format!("127.0.0.1:{}@", replica.port()))?;
            }
        }
        Ok(())
    }
}
