//! A primary with two replicas, and three sentinels that watch it.
//!
//! **Invariant:** all of them know each other before anybody is given the group.

use super::server::Server;
use crate::error::ProcessError;

/// The name under which sentinels know the primary.
pub const SERVICE: &str = "tables";

/// A primary, two replicas and three sentinels.
#[derive(Debug)]
pub struct Watched {
    /// The one that begins as the primary.
    pub primary: Server,
    /// Its replicas.
    pub replicas: Vec<Server>,
    /// Those who name another primary.
    pub sentinels: Vec<Server>,
}

impl Watched {
    /// Starts all of them.
    ///
    /// # Errors
    ///
    /// Says which does not run.
    pub fn start(settings: &[&str]) -> Result<Watched, ProcessError> {
        let primary = Server::start(settings)?;
        let replicas = (0..2).map(|_| primary.replica(settings)).collect::<Result<Vec<_>, _>>()?;
        let sentinels = (0..3).map(|_| Server::sentinel(&primary, SERVICE));
        let sentinels = sentinels.collect::<Result<Vec<_>, _>>()?;
        for sentinel in &sentinels {
            let asked = format!("SENTINEL MASTER {SERVICE}");
            for of in ["num-other-sentinels", "num-slaves"] {
                let two = format!("bulk-string('\"{of}\"'), bulk-string('\"2\"')");
                sentinel.wait_for(&asked, &two)?;
            }
        }
        Ok(Watched { primary, replicas, sentinels })
    }

    /// The address of a store in it, with options such as `?durability=replicated`.
    #[must_use]
    pub fn url(&self, options: &str) -> String {
        let hosts = self.sentinels.iter().map(|server| format!("127.0.0.1:{}", server.port()));
        format!("redis+sentinel://{}/{SERVICE}{options}", hosts.collect::<Vec<_>>().join(","))
    }
}
