//! The processes of a subject: servers of ours, and Redis where tables are in it.
//!
//! **Invariant:** every server is this program with other arguments, and all servers of a site
//! have one store and the same keys, so that any of them serves any table.

use std::sync::Arc;

use handfoot_processes::free_port;
use handfoot_processes::redis::Server as RedisServer;
use handfoot_store::{Limits, SystemClock, TableStore, open_with};
use tempfile::TempDir;

use crate::cli::{Setting, Telemetry};
use crate::collector::Collector;
use crate::process::Server;
use crate::shipped::file_settings;
use crate::subject::{Side, Subject};
use crate::trouble::Trouble;

/// The processes of a subject. What was started first ends last.
#[derive(Debug)]
pub(crate) struct Site {
    /// Servers of ours; none where Redis stands alone.
    pub(crate) servers: Vec<Server>,
    /// The primary, then its replicas.
    redis: Vec<RedisServer>,
    /// Keys, and tables if they are kept in files.
    folder: TempDir,
    subject: Subject,
    /// Where servers send traces.
    collector: Option<Collector>,
}

impl Site {
    /// Starts everything, with so many servers.
    ///
    /// # Errors
    ///
    /// Says what does not run.
    pub(crate) fn start(
        subject: Subject,
        n_servers: usize,
        setting: &Setting,
    ) -> Result<Site, Trouble> {
        let folder = tempfile::Builder::new().prefix("handfoot-load-").tempdir();
        let folder = folder.map_err(Trouble::system("making a temporary folder"))?;
        let shipped = file_settings();
        let shipped: Vec<&str> = shipped.iter().map(String::as_str).collect();
        let redis = match subject {
            Subject::Bare | Subject::Memory | Subject::File => Vec::new(),
            Subject::Script | Subject::Redis => vec![RedisServer::start(&shipped)?],
            Subject::Replicated => {
                let primary = RedisServer::start(&shipped)?;
                let replica = primary.replica(&shipped)?;
                vec![primary, replica]
            }
        };
        let mut site = Site { servers: Vec::new(), redis, folder, subject, collector: None };
        if subject.side() != Side::Script {
            for _ in 0..n_servers {
                site.add_server(setting.workers, setting.telemetry)?;
            }
        }
        Ok(site)
    }

    /// Starts one more server.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) fn add_server(
        &mut self,
        workers: u16,
        telemetry: Telemetry,
    ) -> Result<&Server, Trouble> {
        let mut arguments = self.arguments(workers);
        let mut metrics = None;
        if self.subject.side() == Side::Service && telemetry != Telemetry::Off {
            let address = format!("127.0.0.1:{}", free_port());
            arguments.push(format!("--metrics-listen={address}"));
            metrics = Some(address);
            if let Some(part) = telemetry.sampled() {
                let collector = match self.collector.take() {
                    Some(collector) => collector,
                    None => Collector::start()?,
                };
                arguments.push(format!("--traces-endpoint={}", collector.url()));
                arguments.push(format!("--traces-sample={part}"));
                self.collector = Some(collector);
            }
        }
        self.servers.push(Server::start(arguments, metrics)?);
        self.servers.last().ok_or_else(|| Trouble::wrong("there is no server"))
    }

    /// Spans that servers have sent.
    pub(crate) fn spans(&self) -> u64 {
        self.collector.as_ref().map_or(0, Collector::spans)
    }

    /// The address of the store.
    pub(crate) fn store(&self) -> String {
        let redis = self.redis.first().map(RedisServer::url).unwrap_or_default();
        match self.subject {
            Subject::Bare | Subject::Memory => "memory:".to_owned(),
            Subject::File => {
                format!("file:{}?sync=os", self.folder.path().join("tables").display())
            }
            Subject::Script | Subject::Redis => redis,
            Subject::Replicated => format!("{redis}?durability=replicated"),
        }
    }

    /// The store, beside its servers.
    ///
    /// # Errors
    ///
    /// `Wrong` if it cannot be opened.
    pub(crate) fn open_store(&self) -> Result<Arc<dyn TableStore>, Trouble> {
        let store = open_with(&self.store(), Arc::new(SystemClock), Limits::STANDARD);
        store.map_err(|error| Trouble::wrong(error.to_string()))
    }

    /// The primary of Redis.
    ///
    /// # Errors
    ///
    /// `Wrong` where there is none.
    pub(crate) fn primary(&self) -> Result<&RedisServer, Trouble> {
        self.redis.first().ok_or_else(|| Trouble::wrong("this subject has no Redis"))
    }

    /// Seconds of CPU time that all servers of ours have used.
    ///
    /// # Errors
    ///
    /// `Process` where the system does not tell.
    pub(crate) fn server_cpu_seconds(&self) -> Result<f64, Trouble> {
        sum(self.servers.iter().map(|server| &server.process))
    }

    /// Seconds of CPU time that Redis has used, its replicas too.
    ///
    /// # Errors
    ///
    /// `Process` where the system does not tell.
    pub(crate) fn redis_cpu_seconds(&self) -> Result<f64, Trouble> {
        sum(self.redis.iter().map(RedisServer::process))
    }

    fn arguments(&self, workers: u16) -> Vec<String> {
        let workers = workers.to_string();
        let keys = self.folder.path().join("local-keys").display().to_string();
        let store = self.store();
        let arguments: &[&str] = match self.subject.side() {
            Side::Bare | Side::Script => &["bare-server", "--workers", &workers],
            Side::Service => &[
                "serve",
                "--",
                "--keys=local",
                "--local-keys-file",
                &keys,
                "--listen=127.0.0.1:0",
                "--log=warn",
                "--worker-threads",
                &workers,
                "--store",
                &store,
            ],
        };
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }
}

fn sum<'a>(
    processes: impl Iterator<Item = &'a handfoot_processes::Process>,
) -> Result<f64, Trouble> {
    let mut seconds = 0.0;
    for process in processes {
        seconds += process.cpu_seconds()?;
    }
    Ok(seconds)
}
