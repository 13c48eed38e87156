//! A subject that runs, with connections to it.
//!
//! **Invariant:** every subject is started, connected and played in the same way.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use redis::aio::MultiplexedConnection;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};

use crate::bare::player::BareTable;
use crate::bare::script::{self, ScriptTable};
use crate::cli::Setting;
use crate::script::Script;
use crate::service::{self, Opened, ServiceTable};
use crate::site::Site;
use crate::subject::{Moves, Side, Subject, Watchers};
use crate::table::Table;
use crate::trouble::Trouble;

/// Tables that are opened at once.
const OPENED_AT_ONCE: usize = 16;

/// A subject that runs, with connections to it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) site: Site,
    subject: Subject,
    /// By server: the connections that tables share.
    channels: Vec<Vec<Channel>>,
    /// To Redis, where it stands alone.
    redis: Option<MultiplexedConnection>,
    credential: Option<MetadataValue<Ascii>>,
    n_tables: u32,
}

/// A table that is about to be opened: its number, and a connection to each server.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) number: u32,
    pub(crate) channels: Vec<Channel>,
}

impl Running {
    /// Starts a subject with one server and connects to it.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) async fn start(subject: Subject, setting: &Setting) -> Result<Running, Trouble> {
        Running::start_with(subject, 1, setting).await
    }

    /// Starts a subject with so many servers and connects to all of them.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) async fn start_with(
        subject: Subject,
        n_servers: usize,
        setting: &Setting,
    ) -> Result<Running, Trouble> {
        let site = Site::start(subject, n_servers, setting)?;
        let mut channels = Vec::new();
        for server in &site.servers {
            let mut of_server = Vec::new();
            for _ in 0..setting.connections {
                let endpoint = Endpoint::from_shared(format!("http://{}", server.address))?;
                of_server.push(endpoint.tcp_nodelay(true).connect().await?);
            }
            channels.push(of_server);
        }
        let redis = match subject.side() {
            Side::Script => Some(script::connect(site.primary()?).await?),
            Side::Bare | Side::Service => None,
        };
        // All servers of a site have the same.
        let credential = site.servers.first().map(|server| service::bearer(&server.credential));
        let credential = credential.transpose()?;
        Ok(Running { site, subject, channels, redis, credential, n_tables: 0 })
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
        moves: Moves,
        token: &MetadataValue<Ascii>,
    ) -> Result<Vec<Table>, Trouble> {
        let places = scripts.into_iter().map(|script| (script, self.place()));
        let places: Vec<(Arc<Script>, Place)> = places.collect();
        let this = &*self;
        let opening = places.into_iter().map(|(script, place)| async move {
            let mut table = this.open_at(script, place, moves, token).await?;
            match watchers {
                Watchers::Nobody => {}
                Watchers::EverySeat => table.watch().await?,
            }
            Ok::<Table, Trouble>(table)
        });
        stream::iter(opening).buffered(OPENED_AT_ONCE).try_collect().await
    }

    async fn open_at(
        &self,
        script: Arc<Script>,
        place: Place,
        moves: Moves,
        token: &MetadataValue<Ascii>,
    ) -> Result<Table, Trouble> {
        Ok(match self.subject.side() {
            Side::Bare => {
                let channel = place.channel()?.clone();
                let table = BareTable::new(place.number, script, channel, token.clone());
                Table::Bare(Box::new(table))
            }
            Side::Script => {
                let connection = self.redis.clone();
                let connection = connection.ok_or_else(|| Trouble::wrong("Redis is not there"))?;
                Table::Script(Box::new(ScriptTable::new(place.number, &script, connection)))
            }
            Side::Service => {
                let opened = self.seat_all(&place, script.seed).await?;
                let table = ServiceTable::new(place, script, opened, moves);
                Table::Service(Box::new(table))
            }
        })
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
        let place = self.place();
        let opened = self.seat_all(&place, script.seed).await?;
        Ok(ServiceTable::new(place, script, opened, Moves::BySeat))
    }

    /// Opens so many tables of the service, with a script each.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn open_services(
        &mut self,
        scripts: &[Arc<Script>],
        n_tables: usize,
    ) -> Result<Vec<ServiceTable>, Trouble> {
        let scripts = scripts.iter().cycle().take(n_tables);
        let places: Vec<_> = scripts.map(|script| (Arc::clone(script), self.place())).collect();
        let this = &*self;
        let opening = places.into_iter().map(|(script, place)| async move {
            let opened = this.seat_all(&place, script.seed).await?;
            Ok::<ServiceTable, Trouble>(ServiceTable::new(place, script, opened, Moves::BySeat))
        });
        stream::iter(opening).buffered(OPENED_AT_ONCE).try_collect().await
    }

    /// Opens so many tables of four bots.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn open_bots(&mut self, n_tables: u16) -> Result<(), Trouble> {
        let places: Vec<Place> = (0..n_tables).map(|_| self.place()).collect();
        let credential = self.credential.as_ref();
        let credential = credential.ok_or_else(|| Trouble::wrong("there is no server"))?;
        let opening = places.iter().map(|place| async move {
            let seed = u64::from(place.number);
            service::open_bots(place.channel()?, credential, seed, place.number).await
        });
        stream::iter(opening).buffered(OPENED_AT_ONCE).try_collect().await
    }

    /// Opens a table of the service and gives its tokens.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub(crate) async fn seat_all(&self, place: &Place, seed: u64) -> Result<Opened, Trouble> {
        let credential = self.credential.as_ref();
        let credential = credential.ok_or_else(|| Trouble::wrong("there is no server"))?;
        service::open(place.channel()?, credential, seed, place.number).await
    }

    /// A place for one more table.
    pub(crate) fn place(&mut self) -> Place {
        self.n_tables += 1;
        let at = self.n_tables as usize;
        let one = |of_server: &Vec<Channel>| of_server[at % of_server.len()].clone();
        Place { number: self.n_tables, channels: self.channels.iter().map(one).collect() }
    }
}

impl Place {
    /// A connection to the server that opens the table: another one for the next table.
    pub(crate) fn channel(&self) -> Result<&Channel, Trouble> {
        let at = self.number as usize % self.channels.len().max(1);
        self.channels.get(at).ok_or_else(|| Trouble::wrong("there is no server"))
    }
}
