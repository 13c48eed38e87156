//! What is measured: a server in a process of its own, and connections to it.
//!
//! **Invariant:** every subject is started, connected and played in the same way.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tempfile::TempDir;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};

use crate::bare::player::BareTable;
use crate::cli::Setting;
use crate::process::Server;
use crate::script::Script;
use crate::service::{self, Opened, ServiceTable};
use crate::table::Table;
use crate::trouble::Trouble;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// tonic with nothing behind it.
    Bare,
    /// The game-service with tables in memory.
    Memory,
    /// The game-service with tables in files, as safe as the system's cache.
    File,
}

/// Whether anybody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Watchers {
    /// Nobody.
    Nobody,
    /// A stream for each seat of each table.
    EverySeat,
}

/// A server that runs, with connections to it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) server: Server,
    subject: Subject,
    channels: Vec<Channel>,
    credential: MetadataValue<Ascii>,
    n_tables: u32,
    /// Where it keeps tables, if it keeps them in files; goes with it.
    folder: Option<TempDir>,
}

impl Subject {
    /// All of them.
    pub(crate) const ALL: [Subject; 3] = [Subject::Bare, Subject::Memory, Subject::File];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Subject::Bare => "bare",
            Subject::Memory => "memory",
            Subject::File => "file",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let found = Subject::ALL.into_iter().find(|subject| subject.name() == text);
        found.ok_or_else(|| "is none of bare, memory, file".to_owned())
    }
}

impl Running {
    /// Starts a server and connects to it.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) async fn start(subject: Subject, setting: &Setting) -> Result<Running, Trouble> {
        let folder = match subject {
            Subject::Bare | Subject::Memory => None,
            Subject::File => {
                let folder = tempfile::Builder::new().prefix("handfoot-load-").tempdir();
                Some(folder.map_err(Trouble::system("making a temporary folder"))?)
            }
        };
        let server = Server::start(arguments(subject, setting.workers, folder.as_ref()))?;
        let mut channels = Vec::new();
        for _ in 0..setting.connections {
            let endpoint = Endpoint::from_shared(format!("http://{}", server.address))?;
            channels.push(endpoint.tcp_nodelay(true).connect().await?);
        }
        let credential = service::bearer(&server.credential)?;
        Ok(Running { server, subject, channels, credential, n_tables: 0, folder })
    }

    /// Opens tables, one for each script, before anything is measured. `token` is what a player
    /// of the baseline shows.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn open(
        &mut self,
        scripts: impl IntoIterator<Item = Arc<Script>>,
        watchers: Watchers,
        token: &MetadataValue<Ascii>,
    ) -> Result<Vec<Table>, Trouble> {
        let mut tables = Vec::new();
        for script in scripts {
            let mut table = match self.subject {
                Subject::Bare => {
                    let (number, channel) = self.next_table();
                    let table = BareTable::new(number, script, channel, token.clone());
                    Table::Bare(Box::new(table))
                }
                Subject::Memory | Subject::File => {
                    Table::Service(Box::new(self.open_service(script).await?))
                }
            };
            match watchers {
                Watchers::Nobody => {}
                Watchers::EverySeat => table.watch().await?,
            }
            tables.push(table);
        }
        Ok(tables)
    }

    /// Opens a table of the service.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn open_service(
        &mut self,
        script: Arc<Script>,
    ) -> Result<ServiceTable, Trouble> {
        let (opened, number, channel) = self.seat_all(script.seed).await?;
        Ok(ServiceTable::new(number, script, channel, opened))
    }

    /// Opens a table of the service and gives its tokens.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn seat_all(&mut self, seed: u64) -> Result<(Opened, u32, Channel), Trouble> {
        let (number, channel) = self.next_table();
        let opened = service::open(&channel, &self.credential, seed, number).await?;
        Ok((opened, number, channel))
    }

    /// Ends the server and gives the folder that it leaves, if it keeps one.
    pub(crate) fn end(self) -> Option<TempDir> {
        drop(self.server);
        self.folder
    }

    fn next_table(&mut self) -> (u32, Channel) {
        self.n_tables += 1;
        let at = self.n_tables as usize % self.channels.len();
        (self.n_tables, self.channels[at].clone())
    }
}

/// The address of a store in a folder.
pub(crate) fn store_in(folder: &TempDir) -> String {
    format!("file:{}?sync=os", folder.path().join("tables").display())
}

fn arguments(subject: Subject, workers: u16, folder: Option<&TempDir>) -> Vec<String> {
    let workers = workers.to_string();
    let store = folder.map_or_else(|| "memory:".to_owned(), store_in);
    let arguments: &[&str] = match subject {
        Subject::Bare => &["bare-server", "--workers", &workers],
        Subject::Memory | Subject::File => &[
            "serve",
            "--",
            "--keys=local",
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
