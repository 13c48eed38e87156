//! Servers that belong together: a primary with replicas and sentinels, and a cluster.
//!
//! **Invariant:** a group is whole when it is given out: every replica has everything, every
//! sentinel knows the others, and every server of a cluster knows all slots. One that is killed
//! before that would never be replaced.

use super::servers::Server;

/// The name under which sentinels know the primary.
pub(super) const SERVICE: &str = "tables";

/// A primary, two replicas and three sentinels.
pub(super) struct Watched {
    pub(super) primary: Server,
    pub(super) replicas: Vec<Server>,
    pub(super) sentinels: Vec<Server>,
}

impl Watched {
    pub(super) fn start() -> Self {
        let primary = Server::start(&[]);
        let replicas: Vec<Server> = (0..2).map(|_| primary.replica(&[])).collect();
        let sentinels: Vec<Server> =
            (0..3).map(|_| Server::sentinel(primary.port, SERVICE)).collect();
        for sentinel in &sentinels {
            let asked = format!("SENTINEL MASTER {SERVICE}");
            sentinel
                .wait_for(&asked, "bulk-string('\"num-other-sentinels\"'), bulk-string('\"2\"')");
            sentinel.wait_for(&asked, "bulk-string('\"num-slaves\"'), bulk-string('\"2\"')");
        }
        Self { primary, replicas, sentinels }
    }

    pub(super) fn url(&self, options: &str) -> String {
        let hosts: Vec<String> =
            self.sentinels.iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
        format!("redis+sentinel://{}/{SERVICE}{options}", hosts.join(","))
    }
}

/// Three primaries with a replica each.
pub(super) struct Cluster {
    pub(super) servers: Vec<Server>,
}

impl Cluster {
    pub(super) fn start() -> Self {
        let settings = [
            "--cluster-enabled",
            "yes",
            "--cluster-config-file",
            "nodes.conf",
            "--cluster-node-timeout",
            "1000",
            "--cluster-replica-validity-factor",
            "0",
        ];
        let servers: Vec<Server> = (0..6).map(|_| Server::start(&settings)).collect();
        for (number, server) in servers.iter().enumerate() {
            let _: String = server.ask(&format!("CLUSTER SET-CONFIG-EPOCH {}", number + 1));
        }
        let shares = ["0 5460", "5461 10922", "10923 16383"];
        for (server, share) in servers.iter().zip(shares) {
            let _: String = server.ask(&format!("CLUSTER ADDSLOTSRANGE {share}"));
        }
        for server in &servers[1..] {
            let _: String = server.ask(&format!("CLUSTER MEET 127.0.0.1 {}", servers[0].port));
        }
        for server in &servers {
            server.wait_for("CLUSTER INFO", "cluster_known_nodes:6");
            server.wait_for("CLUSTER INFO", "cluster_slots_assigned:16384");
        }
        for (primary, replica) in servers[..3].iter().zip(&servers[3..]) {
            let name: String = primary.ask("CLUSTER MYID");
            let _: String = replica.ask(&format!("CLUSTER REPLICATE {name}"));
        }
        for (primary, replica) in servers[..3].iter().zip(&servers[3..]) {
            replica.wait_for("INFO replication", "master_link_status:up");
            primary.wait_for("INFO replication", "state=online");
        }
        for server in &servers {
            server.wait_for("CLUSTER INFO", "cluster_state:ok");
            for replica in &servers[3..] {
                let port = format!("127.0.0.1:{}@", replica.port);
                // Everybody knows of everybody's replica, or nobody would vote for it.
                server.wait_for("CLUSTER NODES", &port);
            }
        }
        Self { servers }
    }

    pub(super) fn url(&self, options: &str) -> String {
        let hosts: Vec<String> =
            self.servers[..2].iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
        format!("redis+cluster://{}{options}", hosts.join(","))
    }
}
